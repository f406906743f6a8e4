const COUNT = new Intl.NumberFormat("en");

/** Returns a number with separators; a dash for none. */
export function count(value: number | null | undefined): string { return value === null || value === undefined ? "–" : COUNT.format(value); }

/** Returns a number with its noun. */
export function plural(value: number, one: string, many = `${one}s`): string { return `${count(value)} ${value === 1 ? one : many}`; }

/** Returns a number of bytes with three digits and a unit; a dash for none. */
export function bytes(value: number | null): string {
  if (value === null) return "–";
  const units = ["B", "kB", "MB", "GB", "TB"];
  let amount = value;
  let unit = 0;
  while (amount >= 1_000 && unit < units.length - 1) {
    amount /= 1_000;
    unit += 1;
  }
  return `${unit === 0 || amount >= 100 ? Math.round(amount) : amount.toFixed(1)} ${units[unit]}`;
}

/** Returns a rate, with one decimal below 10. */
export function rate(value: number): string { return value >= 10 || Number.isInteger(value) ? count(Math.round(value)) : value.toFixed(1); }

/** Returns a duration, given in milliseconds, in its largest unit. */
export function duration(milliseconds: number): string {
  const size = Math.abs(milliseconds);
  if (size < 1_000) return `${Math.round(milliseconds)} ms`;
  if (size < 60_000) return `${(milliseconds / 1_000).toFixed(size < 10_000 ? 1 : 0)} s`;
  if (size < 3_600_000) return `${Math.round(milliseconds / 60_000)} min`;
  if (size < 172_800_000) return `${Math.round(milliseconds / 3_600_000)} h`;
  return `${Math.round(milliseconds / 86_400_000)} d`;
}

/** Returns how long ago a time was; a dash for none. */
export function ago(instant: number | null, now = Date.now()): string {
  if (instant === null) return "–";
  return now - instant < 1_000 ? "now" : `${duration(now - instant)} ago`;
}

function two(value: number): string { return String(value).padStart(2, "0"); }

/** Returns the time of day, to the millisecond. */
export function clock(instant: number): string {
  const date = new Date(instant);
  return `${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${String(date.getMilliseconds()).padStart(3, "0")}`;
}

/** Returns the date and time, to the second; a dash for none. */
export function moment(instant: number | null): string {
  if (instant === null) return "–";
  const date = new Date(instant);
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}`;
}

/** Returns a text, cut to a number of characters. */
export function cut(text: string, length: number): string { return text.length <= length ? text : `${text.slice(0, length - 1)}…`; }
