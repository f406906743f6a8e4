// Makes the join keys of an entity. Two entities fulfil a condition of `on` if they have a key in common, so that one
// hash index finds the matches in either direction. Protocol/views.md, joins.

import type { Pointer } from "../json/pointer.js";
import { elementsOf, kindOf, memberOf, presentMember, stringValue } from "../json/text.js";
import { exactCode } from "../queries/value.js";
import { canonicalId, idOf } from "../wire/identity.js";
import type { Entity } from "./entity.js";

/**
 * How keys are made: the entity's own id; the codes of a value that is not null; the ids of the entities of one type to
 * which a value refers; no key at all. `isEach`: of every element of an array.
 */
export type Extractor =
  | { readonly is: "identity"; } | { readonly is: "nothing"; } | { readonly is: "values"; readonly pointer: Pointer; readonly isEach: boolean; }
  | { readonly is: "references"; readonly pointer: Pointer; readonly isEach: boolean; readonly target: string; };

/** The cache's names of types, by alias. */
export type Aliases = ReadonlyMap<string, string>;

/** Returns a text that is the same for equal extractors only. */
export function nameOf(extractor: Extractor): string {
  switch (extractor.is) {
    case "identity": case "nothing": return extractor.is;
    case "values": return `values ${extractor.isEach} ${extractor.pointer.key}`;
    case "references": return `references ${extractor.isEach} ${extractor.target} ${extractor.pointer.key}`;
  }
}

/** Returns the keys of an entity, each once. */
export function keysOf(extractor: Extractor, entity: Entity, aliases: Aliases): readonly string[] {
  switch (extractor.is) {
    case "nothing": return [];
    case "identity": return [entity.id];
    case "values": case "references": return keysOfValue(extractor, entity.value(extractor.pointer), aliases);
  }
}

/** Returns the keys of a value, each once; null is no value. The pointer of the extractor plays no part. */
export function keysOfValue(extractor: Extractor, value: string | null, aliases: Aliases): readonly string[] {
  if (value === null || extractor.is === "identity" || extractor.is === "nothing") return [];
  let values = [value];
  if (extractor.isEach) {
    if (kindOf(value) !== "array") return [];
    values = elementsOf(value);
  }
  if (extractor.is === "values") {
    const codes = values.filter((own) => own !== "null").map(exactCode);
    return codes.length > 1 ? [...new Set(codes)] : codes;
  }
  const ids = values.flatMap((own) => referencesIn(own, extractor.target, aliases));
  return ids.length > 1 ? [...new Set(ids)] : ids;
}

/** Returns the ids of the entities of a type to which a value refers. Protocol/policy.md. */
function referencesIn(value: string, target: string, aliases: Aliases): string[] {
  const values = kindOf(value) === "array" ? elementsOf(value) : [value];
  return values.map((own) => referenceIn(own, target, aliases)).filter((id): id is string => id !== null);
}

function referenceIn(value: string, target: string, aliases: Aliases): string | null {
  if (kindOf(value) !== "object") return idOf(value);
  const reference = memberOf(value, "__ref");
  if (reference === null) {
    const own = presentMember(value, "id") ?? presentMember(value, "uuid");
    return own === null ? null : idOf(own);
  }
  if (kindOf(reference) !== "string") return null;
  const text = stringValue(reference);
  const at = text.indexOf(":");
  const type = text.slice(0, Math.max(at, 0));
  if (at < 0 || at + 1 === text.length || (aliases.get(type) ?? type) !== target) return null;
  return canonicalId(text.slice(at + 1));
}
