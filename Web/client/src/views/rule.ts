// The checked rule of a view: every name in it is known, and every path leads to a source before it. Protocol/views.md.

import type { Pointer } from "../json/pointer.js";
import type { Operator, ValueTest } from "./value-test.js";

/** A value of a source's resource. */
export interface SourcePath {
  /** The slot of the source. */
  readonly slot: number;
  /** The pointer into its resource. */
  readonly pointer: Pointer;
}

/** A value that a predicate or an order reads: of a source, of a member of a group's row, or of an include's aggregates. */
export type Reference =
  | { readonly is: "source"; readonly path: SourcePath; }
  | { readonly is: "member" | "include"; readonly index: number; readonly pointer: Pointer; };

/** What a test compares with. */
export type Operand =
  | { readonly is: "literal"; readonly test: ValueTest; } | { readonly is: "parameter"; readonly index: number; }
  | { readonly is: "reference"; readonly reference: Reference; };

/** One operator with its operand. `place` is the pointer to the predicate, `text` path, operator and operand as JSON. */
export interface Test {
  readonly is: "test";
  readonly reference: Reference;
  readonly operator: Operator;
  readonly operand: Operand;
  readonly place: string;
  readonly text: string;
}

/** A condition over the values of several sources, of a row or of a group. */
export type Predicate =
  | Test | { readonly is: "all"; readonly members: readonly Predicate[]; }
  | { readonly is: "any"; readonly members: readonly Predicate[]; readonly place: string; readonly text: string; }
  | { readonly is: "not"; readonly member: Predicate; readonly place: string; readonly text: string; };

/** One condition of `on`. */
export interface Condition {
  /** The joined entity itself, or a value of it. */
  readonly left: { readonly is: "key"; } | ValueSide;
  /** A value of an earlier source, its entity, or a parameter. */
  readonly right:
  | ValueSide & { readonly slot: number; } | { readonly is: "entity"; readonly slot: number; }
  | { readonly is: "parameter"; readonly index: number; };
  /** The pointer to the condition. */
  readonly place: string;
  /** The condition as JSON, for explanations. */
  readonly text: string;
}

/** A value, or every element of the array there. */
export interface ValueSide { readonly is: "value"; readonly pointer: Pointer; readonly isEach: boolean; }

/** A type of entities under an alias. */
export interface Source {
  /** The number of the source among those that can be seen together. */
  readonly slot: number;
  readonly alias: string;
  readonly type: string;
  readonly conditions: readonly Condition[];
  /** The source's own `where`. That of an include belongs to its main source unless it reads the joins behind it. */
  filter: Predicate | null;
  readonly place: string;
}

/** The kinds of sources. */
export type StepKind = "from" | "inner" | "left" | "exists" | "absent";

/** One source of a view, with how it is joined; `joins` are those of `exists` and `absent`. */
export interface Step { readonly kind: StepKind; readonly source: Source; readonly joins: readonly Step[]; }

/** True if a source only decides whether a row stays. */
export function isCheck(kind: StepKind): boolean { return kind === "exists" || kind === "absent"; }

/** The functions of aggregates. */
export const functions = ["count", "count_distinct", "sum", "avg", "min", "max"] as const;

/** One aggregate; `path` is null for `{"count": true}`. */
export interface Aggregate {
  readonly name: string;
  readonly of: typeof functions[number];
  readonly path: SourcePath | null;
  readonly filter: Predicate | null;
}

/** The groups of a body; `keys` is null if there is only the one row of `aggregates`. */
export interface Groups {
  readonly keys: readonly { readonly name: string; readonly path: SourcePath; }[] | null;
  readonly aggregates: readonly Aggregate[];
  having: Predicate | null;
}

/** What a body makes of its rows: the only resource, an object of resources, selected members, or groups. */
export type Output =
  | { readonly is: "resource"; readonly slot: number; }
  | { readonly is: "resources"; readonly sources: readonly { readonly name: string; readonly slot: number; }[]; }
  | { readonly is: "members"; readonly members: readonly { readonly name: string; readonly path: SourcePath; }[]; }
  | { readonly is: "groups"; readonly groups: Groups; };

/** One component of an order. */
export interface Order { readonly reference: Reference; readonly isDescending: boolean; }

/** A nested result; `isOne` for the first row or null in place of a list. */
export interface Include { readonly name: string; readonly body: Body; readonly isOne: boolean; }

/** What a view and an include have in common: sources, a filter, and what is made of the rows. */
export interface Body {
  /** The sources in order, `from` or the include's own first. */
  readonly steps: readonly Step[];
  /** The condition on the joined rows. */
  readonly filter: Predicate | null;
  readonly output: Output;
  readonly includes: readonly Include[];
  readonly order: readonly Order[];
  readonly offset: number;
  /** The maximum number of rows; null for all. */
  readonly limit: number | null;
}

/** What the values of a parameter have to be: the places of an `in` and of a `prefix` that compare with it. */
export interface ParameterUse { arrayPlace: string | null; stringPlace: string | null; }

/** A checked rule. */
export interface ViewRule {
  /** The canonical spelling; the same for equal rules only. */
  readonly canonical: string;
  /** The names of the parameters, in the order of their first use. */
  readonly parameters: readonly string[];
  /** For each parameter, what its values have to be. */
  readonly uses: readonly ParameterUse[];
  /** True if a result has the number of rows before the window is cut. */
  readonly hasTotal: boolean;
  readonly body: Body;
  /** The number of slots. */
  readonly slotCount: number;
}

/** Calls `body` with every test of a predicate. */
export function forEachTest(predicate: Predicate | null, body: (test: Test) => void): void {
  switch (predicate?.is) {
    case "test": return body(predicate);
    case "not": return forEachTest(predicate.member, body);
    case "all": case "any": for (const member of predicate.members) forEachTest(member, body);
  }
}

/** Calls `body` with the tested value of every test, and with the value that it is compared with. */
export function forEachReference(predicate: Predicate | null, body: (reference: Reference) => void): void {
  forEachTest(predicate, ({ reference, operand }) => {
    body(reference);
    if (operand.is === "reference") body(operand.reference);
  });
}

/** Returns the conditions that must all hold, one by one. */
export function conjunctsOf(predicate: Predicate | null): readonly Predicate[] {
  if (predicate === null) return [];
  return predicate.is === "all" ? predicate.members.flatMap(conjunctsOf) : [predicate];
}

/** Returns one predicate for several that must all hold; null for none. */
export function joined(predicates: readonly Predicate[]): Predicate | null {
  return predicates.length > 1 ? { is: "all", members: predicates } : predicates[0] ?? null;
}

/** True if a test of the predicate compares with a parameter. */
export function hasParameter(predicate: Predicate | null): boolean {
  let isFound = false;
  forEachTest(predicate, ({ operand }) => { if (operand.is === "parameter") isFound = true; });
  return isFound;
}
