// How old data may be: the limits of reads and of a policy. Protocol/policy.md, what is too old.

/** The limits of one read, in seconds: by type, and by type and field; and those of a policy. */
export interface Ages {
  types: ReadonlyMap<string, number>;
  fields: ReadonlyMap<string, number>;
  policy: Policy | null;
}

/** How old data may be, and what a delete takes along: made by `@tidemark/client/policy`. */
export interface Policy {
  /** Returns the fields of a resource that have a limit, of those in `fields` (null: of all), by the rules of a read over its own. */
  limits(type: string, text: string, fields: ReadonlySet<string> | null, ages: Ages): LimitedField[];
  /** Returns what is deleted along with a resource. `aliases`: own names of types by names on the wire. */
  references(type: string, text: string, aliases: ReadonlyMap<string, string>): Reference[];
}

/** A field, and its limit. */
export interface LimitedField {
  field: string;
  limit: AgeLimit;
}

/** An entity that another one refers to. */
export interface Reference {
  type: string;
  id: string;
}

/** No limits. */
export const NO_AGES: Ages = { types: new Map(), fields: new Map(), policy: null };

/** Returns the limits that `max_ages` names, over those of a policy. */
export function agesOf(maxAges: ReadonlyMap<string, number>, policy: Policy | null): Ages {
  return maxAges.size === 0 && policy === null ? NO_AGES : { types: maxAges, fields: maxAges, policy };
}

/** The limit of one field, and whose it is; null where there is none. */
export interface AgeLimit {
  seconds: number;
  rule: "operation_type" | "operation_field" | "schema_type" | "schema_field" | null;
}

/** A field that is too old. */
export interface ExpiredField {
  field: string;
  writtenAt: number;
  maxAge: number;
  /** Milliseconds past its limit. */
  overdue: number;
}
