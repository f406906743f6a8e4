// Maximum ages of data, from reads and from a policy. Protocol/policy.md, what is too old.

/** The maximum ages of one read in seconds, by type and by `type.field`, and the policy. */
export interface Ages {
  /** Maximum ages by type. */
  types: ReadonlyMap<string, number>;
  /** Maximum ages by `type.field`. */
  fields: ReadonlyMap<string, number>;
  /** The policy; null for none. */
  policy: Policy | null;
}

/** Maximum ages and cascading deletes. Created by `policyOf` or `policyOfRules` of `@tidemark/client/policy`. */
export interface Policy {
  /**
   * Returns the fields of a resource that have a maximum age, among `fields` (null for all). The ages of the read
   * override those of the policy.
   */
  limits(type: string, text: string, fields: ReadonlySet<string> | null, ages: Ages): LimitedField[];
  /** Returns the entities that are deleted along with a resource. `aliases` are the cache's type names by alias. */
  references(type: string, text: string, aliases: ReadonlyMap<string, string>): Reference[];
}

/** A field with a maximum age. */
export interface LimitedField {
  /** The name of the field. */
  field: string;
  /** The maximum age of the field. */
  limit: AgeLimit;
}

/** An entity that another one refers to. */
export interface Reference {
  /** The type of the entity. */
  type: string;
  /** The id of the entity. */
  id: string;
}

/** The ages of a cache without any maximum. */
export const NO_AGES: Ages = { types: new Map(), fields: new Map(), policy: null };

/** Returns the ages in `max_ages`, combined with a policy. */
export function agesOf(maxAges: ReadonlyMap<string, number>, policy: Policy | null): Ages {
  return maxAges.size === 0 && policy === null ? NO_AGES : { types: maxAges, fields: maxAges, policy };
}

/** A maximum age, and the rule that set it. */
export interface AgeLimit {
  /** The age in seconds; `Infinity` for none. */
  seconds: number;
  /** The rule that set the age: a read or the policy, for a type or a field; null for none. */
  rule: "operation_type" | "operation_field" | "schema_type" | "schema_field" | null;
}

/** A field that is too old. */
export interface ExpiredField {
  /** The name of the field. */
  field: string;
  /** When the field was written, in milliseconds since 1970. */
  writtenAt: number;
  /** The maximum age in seconds. */
  maxAge: number;
  /** Milliseconds past the maximum age. */
  overdue: number;
}
