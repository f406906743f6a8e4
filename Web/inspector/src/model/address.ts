/** What a view shows: names and values of its own. Values that are empty are left out of an address. */
export type Place = Readonly<Record<string, string>>;

/** Writes the address of a view, such as `entities?type=photo&key=photo:p1`; the first view without a choice has none. */
export function addressOf(view: string, place: Place): string {
  const words = new URLSearchParams(Object.entries(place).filter(([, value]) => value !== "")).toString().replace(/%3A/g, ":").replace(/%2F/g, "/");
  const name = view.toLowerCase().replace(/ /g, "-");
  return words === "" ? name : `${name}?${words}`;
}

/** Reads an address. An unknown view is the first one. */
export function placeAt(address: string, views: readonly string[]): { index: number; place: Place; } {
  const mark = address.indexOf("?");
  const name = mark < 0 ? address : address.slice(0, mark);
  const index = views.findIndex((view) => addressOf(view, {}) === name);
  return { index: Math.max(0, index), place: mark < 0 ? {} : Object.fromEntries(new URLSearchParams(address.slice(mark + 1))) };
}
