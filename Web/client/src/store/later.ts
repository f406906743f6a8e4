import { kindOf, membersOf } from "../json/text.js";
import type { Sequence } from "../model/sequence.js";
import { assigned } from "./assigned.js";
import { mergedByPath } from "./graph.js";
import type { Slot } from "./library.js";
import { isNewer } from "./stamp.js";
import type { Stamp } from "./stamp.js";
import { outerOf, PATH_SEPARATOR } from "./written.js";

/** The fields of an entity that stand for a later position in the log than an event. */
export interface LaterFields {
  /** The entity with only these fields. */
  readonly text: string;
  /** The stamps of the fields, by name or path. */
  readonly stamps: ReadonlyMap<string, Stamp>;
}

/**
 * Returns the fields that an event is too late to change, while the others follow it. Null for an entity that is
 * compared as a whole, because its last write was an event or a transaction. O(resource · names). Protocol/queries.md,
 * answers.
 */
export function laterFields(slot: Slot, sequence: Sequence | null, generation: number): LaterFields | null {
  const whole = slot.stamp;
  if (slot.text === null || whole.writer !== "answer" && whole.writer !== "confirmation") return null;
  const named = slot.fields?.named ?? new Map<string, Stamp>();
  const stamps = new Map<string, Stamp>();
  const isLater = (stamp: Stamp): boolean => isNewer(stamp, sequence, generation);
  /** True if only some of the fields below a path are later than the event. */
  const isMixed = (prefix: string, stamp: Stamp): boolean =>
    [...named].some(([path, inner]) => path.startsWith(prefix) && isLater(inner) !== isLater(stamp));
  const select = (object: string, path: string, outer: Stamp): string | null => {
    const result: string[] = [];
    let isAny = false;
    for (const member of membersOf(object)) {
      const name = path + member.name;
      const stamp = named.get(name) ?? outer;
      if (kindOf(member.value) === "object" && isMixed(name + PATH_SEPARATOR, stamp)) {
        const inner = select(member.value, name + PATH_SEPARATOR, stamp);
        if (inner === null) continue;
        result.push(`${member.spelled}:${inner}`);
      } else if (isLater(stamp)) {
        result.push(`${member.spelled}:${member.value}`);
        stamps.set(name, stamp);
        for (const [inner, own] of named) if (inner.startsWith(name + PATH_SEPARATOR)) stamps.set(inner, own);
      } else {
        // An embedded object is merged into one of the same type.
        if (path !== "" && member.name === "__typename") result.push(`${member.spelled}:${member.value}`);
        continue;
      }
      isAny = true;
    }
    return isAny ? `{${result.join(",")}}` : null;
  };
  return { text: select(slot.text, "", slot.fields?.rest ?? whole) ?? "{}", stamps };
}

/**
 * Returns a resource, as an earlier event leaves it, with the later fields added. `earlier` are the members inside kept
 * objects that only the event has.
 */
export function withLater(base: string, { text, stamps }: LaterFields): { text: string; earlier: string[]; } {
  const replaced = membersOf(text).filter(({ name }) => stamps.has(name));
  const fields = `{${replaced.map(({ spelled, value }) => `${spelled}:${value}`).join(",")}}`;
  // Values written inside an object, by path, are merged into it. Every other field replaces the field of that name.
  const merged = mergedByPath(text, assigned(fields, base));
  return { text: merged.text, earlier: merged.written.kept.filter((path) => outerOf(path).some((outer) => stamps.has(outer))) };
}
