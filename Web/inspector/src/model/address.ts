/** What a view shows, as names and values that the view defines. Empty values are left out of an address. */
export type Place = Readonly<Record<string, string>>;

/**
 * Returns the address of a view, such as `entities?type=photo&key=photo:p1`; empty for the first view without a
 * selection.
 */
export function addressOf(view: string, place: Place): string {
  const words = new URLSearchParams(Object.entries(place).filter(([, value]) => value !== "")).toString().replace(/%3A/g, ":").replace(/%2F/g, "/");
  const name = view.toLowerCase().replace(/ /g, "-");
  return words === "" ? name : `${name}?${words}`;
}

/** Parses an address. An unknown view name means the first view. */
export function placeAt(address: string, views: readonly string[]): { index: number; place: Place; } {
  const mark = address.indexOf("?");
  const name = mark < 0 ? address : address.slice(0, mark);
  const index = views.findIndex((view) => addressOf(view, {}) === name);
  return { index: Math.max(0, index), place: mark < 0 ? {} : Object.fromEntries(new URLSearchParams(address.slice(mark + 1))) };
}
