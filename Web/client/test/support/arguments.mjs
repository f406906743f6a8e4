// The arguments of the command that also apply to the client.

import { JsonLine } from "./json-line.mjs";

const profiles = { spacedrive: { entry: "file" } };

/** Converts arguments of `ingest` or `run` to options of a cache. Throws for unknown ones. */
export function optionsOf(args) {
  const options = {};
  const limits = {};
  let isStrict = false;
  let upstream = "host";
  for (let at = 0; at < (args ?? []).length; at += 1) {
    const value = () => args[at += 1];
    switch (args[at]) {
      case "--library": options.library = value(); break;
      case "--profile": options.aliases = profiles[value()]; break;
      case "--strict": isStrict = true; break;
      case "--upstream": upstream = value(); break;
      case "--fetch-timeout": options.fetchTimeout = Number(value()) * 1_000; break;
      case "--max-entities": limits.entityCountMax = Number(value()); break;
      case "--max-entity-bytes": limits.entityByteCountMax = Number(value()); break;
      case "--max-pending": limits.layerCountMax = Number(value()); break;
      case "--max-queries": limits.queryCountMax = Number(value()); break;
      case "--evict-ignore": options.evictIgnore = [...options.evictIgnore ?? [], value()]; break;
      // All entities are in memory, and no visible result depends on tiers.
      case "--memory-limit-kb": case "--memory-exclude": value(); break;
      default: throw new Error(`the argument ${args[at]} is not known`);
    }
  }
  return { options: { ...options, limits }, isStrict, upstream };
}

/** An upstream over the lines of a log, which responds like a log file. */
export function logUpstream(lines, defaultLibrary) {
  let emptyFrom = null;
  return {
    async eventsSince(library, sequence) {
      const events = lines.filter((line) => {
        const place = JsonLine.place(line, defaultLibrary);
        return place.sequence !== null && place.sequence >= sequence && place.library === library;
      });
      if (events.length > 0) return { events };
      const isFinal = emptyFrom === `${library}\n${sequence}`;
      emptyFrom = `${library}\n${sequence}`;
      if (isFinal) throw Object.assign(new Error("the log has no such event"), { isFinal: true });
      return { events };
    },
  };
}
