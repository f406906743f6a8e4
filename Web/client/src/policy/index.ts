// Policies: maximum ages and cascading deletes. A separate entry point; a cache without a policy does not load it.
// Protocol/policy.md.

import { elementsOf, kindOf, membersOf, stringValue } from "../json/text.js";
import { refuseUnknown } from "../model/options.js";
import type { AgeLimit, Ages, LimitedField, Policy, Reference } from "../state/ages.js";
import { idOf } from "../wire/identity.js";

/** A maximum age in seconds, `inherited` for that of the containing object, or null for none. */
type AgeRule = number | "inherited" | null;

interface FieldRule {
  /** The type of the object in the field; null for a scalar. */
  readonly target: string | null;
  readonly age: AgeRule;
  readonly cascades: boolean;
}

interface TypeRule {
  readonly age: AgeRule;
  readonly fields: ReadonlyMap<string, FieldRule>;
}

/** The report that `tidemark policy check --json` prints for a policy file. */
export interface PolicyReport {
  /** True if the file has no errors. */
  readonly ok: boolean;
  /** The types in the file with their rules; ages in seconds. */
  readonly types: readonly {
    readonly name: string;
    readonly max_age: number | null;
    readonly inherits: boolean;
    readonly fields: readonly {
      readonly name: string; readonly type: string; readonly composite: boolean; readonly max_age: number | null; readonly inherits: boolean;
      readonly cascades: boolean;
    }[];
  }[];
}

/** The rules of one type, for `policyOfRules`. */
export interface PolicyRules {
  /** The name of the type in events and responses. */
  type: string;
  /** The age in seconds at which entities of the type are too old; never if absent. */
  maxAge?: number;
  /** The maximum ages of fields that differ from the type's, in seconds. */
  fields?: Readonly<Record<string, number>>;
  /** The types of entities that are deleted along with one of this type, by the field that refers to them. */
  cascades?: Readonly<Record<string, string>>;
}

const AGE_MAX = 2_147_483_647;

/**
 * Creates a policy from the output of `tidemark policy check --json FILE`: the rules in GraphQL type definitions, read
 * once when a page is built. Throws a `RangeError` for the report of a file with errors.
 *
 * ```ts
 * const cache = new NormalizedCache({ policy: policyOf(report) });
 * ```
 */
export function policyOf(report: PolicyReport): Policy {
  if (!report.ok) throw new RangeError("the policy file has errors: see tidemark policy check");
  const age = (rule: { readonly max_age: number | null; readonly inherits: boolean; }): AgeRule => rule.inherits ? "inherited" : rule.max_age;
  return new RulePolicy(new Map(report.types.map((type) => [type.name, {
    age: age(type),
    fields: new Map(type.fields.map((field) => [
      field.name, { target: field.composite ? field.type : null, age: age(field), cascades: field.cascades },
    ])),
  }])));
}

/**
 * Creates a policy from rules. Throws a `RangeError` for a type with two rules, and for an age that is not a whole
 * number of seconds from 0 to 2^31-1.
 *
 * ```ts
 * const policy = policyOfRules([{ type: "file", maxAge: 3_600, cascades: { preview: "image" } }]);
 * ```
 */
export function policyOfRules(rules: readonly PolicyRules[]): Policy {
  const types = new Map<string, TypeRule>();
  for (const rule of rules) {
    refuseUnknown(rule, ["type", "maxAge", "fields", "cascades"]);
    const { type, maxAge, fields = {}, cascades = {} } = rule;
    if (types.has(type)) throw new RangeError(`${type} has two rules: give each type once`);
    for (const seconds of [...Object.values(fields), maxAge ?? 0]) {
      if (!Number.isInteger(seconds) || seconds < 0 || seconds > AGE_MAX) {
        throw new RangeError(`an age of ${type} is ${seconds} s: give 0 to ${AGE_MAX}`);
      }
    }
    const names = new Set([...Object.keys(fields), ...Object.keys(cascades)]);
    types.set(type, {
      age: maxAge ?? null,
      fields: new Map([...names].sort().map((name) => [name, {
        target: cascades[name] ?? null, cascades: name in cascades,
        // A reference without an age has the limit of the entity that contains it.
        age: fields[name] ?? (name in cascades ? "inherited" : null),
      }])),
    });
  }
  return new RulePolicy(types);
}

const UNLIMITED: AgeLimit = { seconds: Infinity, rule: null };

function least(left: AgeLimit, right: AgeLimit): AgeLimit { return right.seconds < left.seconds ? right : left; }

function isOfOperation({ rule }: AgeLimit): boolean { return rule === "operation_type" || rule === "operation_field"; }

class RulePolicy implements Policy {
  /** The cascading fields and their target types by type, under the cache's names; cached for each map of aliases. */
  private readonly cascading = new WeakMap<ReadonlyMap<string, string>, ReadonlyMap<string, readonly (readonly [string, string])[]>>();

  constructor(private readonly types: ReadonlyMap<string, TypeRule>) { }

  limits(type: string, text: string, fields: ReadonlySet<string> | null, ages: Ages): LimitedField[] {
    const root = this.root(type, ages);
    return membersOf(text).flatMap(({ name, value }) => {
      if (fields !== null && !fields.has(name)) return [];
      const limit = this.least(name, type, root, value, ages);
      return limit.seconds === Infinity ? [] : [{ field: name, limit }];
    });
  }

  references(type: string, text: string, aliases: ReadonlyMap<string, string>): Reference[] {
    const rules = this.cascades(aliases).get(type);
    if (rules === undefined) return [];
    const values = new Map(membersOf(text).map(({ name, value }) => [name, value]));
    return rules.flatMap(([field, target]) => {
      const value = values.get(field);
      return value === undefined ? [] : idsIn(value).map((id) => ({ type: target, id }));
    });
  }

  private cascades(aliases: ReadonlyMap<string, string>): ReadonlyMap<string, readonly (readonly [string, string])[]> {
    const known = this.cascading.get(aliases);
    if (known !== undefined) return known;
    const rules = new Map<string, (readonly [string, string])[]>();
    const own = (name: string): string => aliases.get(name) ?? name;
    for (const [type, { fields }] of this.types) {
      for (const [name, { target, cascades }] of fields) {
        if (cascades && target !== null) rules.set(own(type), [...rules.get(own(type)) ?? [], [name, own(target)]]);
      }
    }
    this.cascading.set(aliases, rules);
    return rules;
  }

  /** The maximum age of an object that a read requests directly. */
  private root(type: string, ages: Ages): AgeLimit {
    const own = ages.types.get(type);
    if (own !== undefined) return { seconds: own, rule: "operation_type" };
    const age = this.types.get(type)?.age;
    return typeof age === "number" ? { seconds: age, rule: "schema_type" } : UNLIMITED;
  }

  /** The maximum age of a field, or of the object in a composite field. The most specific rule wins. */
  private limit(field: string, type: string, parent: AgeLimit, ages: Ages): AgeLimit {
    const own = ages.fields.get(`${type}.${field}`);
    if (own !== undefined) return { seconds: own, rule: "operation_field" };
    const rule = this.types.get(type)?.fields.get(field);
    const age = rule?.age ?? null;
    const target = rule?.target ?? null;
    if (target === null) return isOfOperation(parent) || age === null ? parent : ruled(age, "schema_field", parent);
    const ofTarget = ages.types.get(target);
    if (ofTarget !== undefined) return { seconds: ofTarget, rule: "operation_type" };
    if (age !== null) return ruled(age, "schema_field", parent);
    const typeAge = this.types.get(target)?.age ?? null;
    return typeAge === null ? UNLIMITED : ruled(typeAge, "schema_type", parent);
  }

  /** The lowest maximum age of a field and of everything inside its value. */
  private least(field: string, type: string, parent: AgeLimit, value: string, ages: Ages): AgeLimit {
    const limit = this.limit(field, type, parent, ages);
    const target = this.types.get(type)?.fields.get(field)?.target ?? null;
    return target === null ? limit : least(limit, this.nested(target, limit, value, ages));
  }

  private nested(type: string, limit: AgeLimit, value: string, ages: Ages): AgeLimit {
    switch (kindOf(value)) {
      case "object": return membersOf(value).reduce(
        (lowest, member) => least(lowest, this.least(member.name, type, limit, member.value, ages)), UNLIMITED);
      case "array": return elementsOf(value).reduce((lowest, element) => least(lowest, this.nested(type, limit, element, ages)), UNLIMITED);
      default: return UNLIMITED;
    }
  }
}

function ruled(age: number | "inherited", rule: "schema_type" | "schema_field", parent: AgeLimit): AgeLimit {
  return age === "inherited" ? parent : { seconds: age, rule };
}

/** Returns the ids in a reference: the value itself, the `id` or `uuid` of an object, or those of each list element. */
function idsIn(value: string): string[] {
  switch (kindOf(value)) {
    case "array": return elementsOf(value).flatMap(idsIn);
    case "object": {
      const members = new Map(membersOf(value).map((member) => [member.name, member.value]));
      const id = members.get("id");
      const given = id === undefined || id === "null" ? members.get("uuid") : id;
      return given === undefined ? [] : idsOf(given);
    }
    default: return idsOf(value);
  }
}

function idsOf(value: string): string[] {
  if (kindOf(value) === "string" && stringValue(value) === "") return [];
  const id = idOf(value);
  return id === null ? [] : [id];
}

export type { Policy } from "../state/ages.js";
