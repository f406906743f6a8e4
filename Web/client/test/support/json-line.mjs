// Reads the library and sequence of a line in a naive way, for tests.

import { placeOf } from "../../dist/wire/salvage.js";

export const JsonLine = {
  /** Returns the library and the sequence that a line names, as far as they can be read. */
  place(line, defaultLibrary) {
    let value;
    let isWhole = true;
    try {
      value = JSON.parse(line);
    } catch {
      isWhole = false;
    }
    const text = isWhole && typeof value?.Event === "object" && value.Event !== null ? JSON.stringify(value.Event) : line;
    const place = placeOf(new TextEncoder().encode(text), 65, isWhole ? Infinity : 4_096, 1_024, isWhole);
    return { library: place.library === null ? defaultLibrary : place.library, sequence: place.sequence };
  },
};
