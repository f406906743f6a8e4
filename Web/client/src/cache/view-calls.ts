// The types of the methods of live views. Protocol/views.md.

import type { JsonValue } from "../json/exact.js";
import type { Sequence } from "../model/sequence.js";
import type { Id, JsonObject } from "./values.js";

/** A value of a rule that a use gives: `{"param": "team"}`. */
export interface ViewParam { readonly param: string; }

/** What a predicate compares with: a literal, a parameter, or the value at another path. */
export type ViewOperand = JsonValue | ViewParam | { readonly path: string; } | { readonly value: JsonValue; };

/** A predicate over the sources of a view. */
export type ViewPredicate =
  | { readonly all: readonly ViewPredicate[]; } | { readonly any: readonly ViewPredicate[]; } | { readonly not: ViewPredicate; }
  | {
    readonly path: string; readonly eq?: ViewOperand; readonly ne?: ViewOperand; readonly lt?: ViewOperand; readonly lte?: ViewOperand;
    readonly gt?: ViewOperand; readonly gte?: ViewOperand; readonly in?: ViewOperand; readonly prefix?: ViewOperand; readonly exists?: boolean;
  };

/** One right side of a condition of `on`: a path of an earlier source, its entity (`issue@key`), or a parameter. */
export type ViewRight = string | ViewParam;

/** The conditions of a join: all must hold. */
export interface ViewConditions { readonly [left: string]: ViewRight | readonly ViewRight[]; }

/** A further source of a view. */
export interface ViewJoin {
  readonly type: string;
  readonly as?: string;
  readonly kind?: "inner" | "left" | "exists" | "absent";
  readonly on: ViewConditions;
  readonly where?: ViewPredicate;
  /** Only in `exists` and `absent`. */
  readonly joins?: readonly ViewJoin[];
}

/** An aggregate: exactly one function, and which rows count. */
export interface ViewAggregate {
  readonly count?: true | string;
  readonly count_distinct?: string;
  readonly sum?: string;
  readonly avg?: string;
  readonly min?: string;
  readonly max?: string;
  readonly where?: ViewPredicate;
}

/** What a view and an include make of their rows. */
interface ViewResults {
  readonly joins?: readonly ViewJoin[];
  readonly where?: ViewPredicate;
  readonly group?: Readonly<Record<string, string>>;
  readonly aggregates?: Readonly<Record<string, ViewAggregate>>;
  readonly having?: ViewPredicate;
  readonly include?: Readonly<Record<string, ViewInclude>>;
  readonly select?: Readonly<Record<string, string>>;
  readonly order?: readonly { readonly path: string; readonly direction?: "asc" | "desc"; }[];
  readonly limit?: number;
  readonly offset?: number;
}

/** A nested result. */
export interface ViewInclude extends ViewResults {
  readonly type: string;
  readonly as?: string;
  readonly on: ViewConditions;
  /** True for the first row, or null, in place of a list. */
  readonly one?: boolean;
}

/** The rule of a view: a question over entities of one or more types. */
export interface ViewRule extends ViewResults {
  readonly from: string | { readonly type: string; readonly as?: string; readonly where?: ViewPredicate; };
  /** True to return the number of rows before the window is cut. */
  readonly total?: boolean;
}

/** The params of `view.read` and `view.observe`. */
export interface ViewReadParams {
  library_id?: string;
  /** A rule, or the name of a defined view. */
  view: ViewRule | string;
  /** A value for each parameter of the rule. */
  params?: Readonly<Record<string, unknown>>;
  /** The window, in place of the rule's. */
  offset?: number;
  limit?: number;
  /** True to return the keys of the rows, too. */
  keys?: boolean;
}

/** The result of `view.read`. */
export interface ViewResult<Row = JsonObject> {
  readonly rows: readonly Row[];
  /** The keys of the entities of each row, or the values of its group; null for none. */
  readonly keys?: readonly (readonly JsonValue[])[];
  /** The number of rows before the window is cut, if the rule asks for it. */
  readonly total?: number;
  /** The library's cursor, to which every part of the result belongs. */
  readonly as_of: Sequence | null;
  /** True if the library is stale, or if entities of the view were evicted. */
  readonly stale: boolean;
  /** True if a pending edit covers an entity behind a row. */
  readonly pending: boolean;
  /** The number of different entities that the view asked for and that the cache does not know. */
  readonly missing: number;
}

/** A defined view, in the result of `view.list`. */
export interface ViewDefinition {
  readonly name: string;
  readonly view: ViewRule;
  readonly params: readonly string[];
  readonly observers: number;
  /** Null for a view with parameters. */
  readonly rows: number | null;
  readonly bytes: number;
  readonly state: "live" | "building";
}

/** The result of `view.explain`. */
export interface ViewExplanation {
  readonly plan: readonly { readonly op: string; readonly source?: string; readonly index?: string; readonly rows: number; readonly bytes: number; }[];
  readonly missing: readonly string[];
  /** The entities behind `row`. */
  readonly entities?: readonly { readonly key: string; readonly sequence: Sequence | null; }[];
  /** True if a row has `entity`: then `rows` are their keys. Otherwise `why` names the first condition that failed. */
  readonly in?: boolean;
  readonly rows?: readonly (readonly JsonValue[])[];
  readonly why?: { readonly at: string; readonly condition?: JsonValue; readonly value?: JsonValue; readonly entity?: string; readonly miss?: true; };
}

type Nothing = Readonly<Record<string, never>>;
interface InLibrary { library_id?: string; }

/** The methods of live views. */
export interface ViewCalls {
  read<Row = JsonObject>(params: ViewReadParams): Promise<ViewResult<Row>>;
  observe<Row = JsonObject>(params: ViewReadParams): Promise<ViewResult<Row> & { readonly subscription: number; }>;
  move(params: InLibrary & { subscription: number; offset?: number; limit?: number; }): Promise<Nothing>;
  define(params: InLibrary & { name: string; view: ViewRule; }): Promise<Nothing>;
  drop(params: InLibrary & { name: string; }): Promise<Nothing>;
  list(params?: InLibrary): Promise<{ views: readonly ViewDefinition[]; }>;
  explain(params: InLibrary & {
    view: ViewRule | string; params?: Readonly<Record<string, unknown>>; row?: readonly JsonValue[]; entity?: { resource_type: string; id: Id; };
  }): Promise<ViewExplanation>;
}
