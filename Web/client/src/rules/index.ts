// A typed builder for the rules of live views. It has no code of the views themselves: a rule is a value.

import type { ViewAggregate, ViewConditions, ViewInclude, ViewJoin, ViewOperand, ViewParam, ViewPredicate, ViewRule } from "../cache/view-calls.js";

/** The resources of a program, by type. */
export type Types = Readonly<Record<string, object>>;
/** The resources that a view has joined, by alias; undefined for a left join without a match. */
export type Sources = Readonly<Record<string, object | undefined>>;

type Names<Value> = keyof NonNullable<Value> & string;
/** A path to a value of a source: an alias and a JSON Pointer. */
export type PathOf<Own extends Sources> = {
  [Alias in keyof Own & string]: Alias | `${Alias}/${Names<Own[Alias]>}` | `${Alias}/${Names<Own[Alias]>}/${string}`;
}[keyof Own & string];
/** The right side of a condition: a path, an entity of an earlier source, every element of an array, or a parameter. */
export type RightOf<Own extends Sources> = PathOf<Own> | `${keyof Own & string}@key` | ViewParam;
/** The left side of a condition: the joined entity, or a pointer into it. */
export type LeftOf<Joined> = "@key" | `/${Names<Joined>}` | `/${Names<Joined>}/${string}`;
/** The conditions of a join; all must hold. */
export type OnOf<Own extends Sources, Joined> = { readonly [Left in LeftOf<Joined>]?: RightOf<Own> | readonly RightOf<Own>[]; };

type Field<Value, Name extends string> = Value extends undefined ? undefined : Name extends keyof Value ? Value[Name] : unknown;
/** The type of the value at a path; unknown deeper inside. */
export type ValueAt<Own extends Sources, Path extends string> = Path extends keyof Own ? Own[Path]
  : Path extends `${infer Alias}/${infer Name}` ? Alias extends keyof Own ? Inside<Own[Alias], Name> : unknown : unknown;
type Inside<Value, Name extends string> = Name extends `${string}/${string}` ? unknown : Field<Value, Name>;
/** The type of a row with selected members. */
export type Selected<Own extends Sources, Members extends Readonly<Record<string, string>>> = {
  readonly [Name in keyof Members]: ValueAt<Own, Members[Name]>;
};

interface Tests {
  readonly eq?: ViewOperand; readonly ne?: ViewOperand; readonly lt?: ViewOperand; readonly lte?: ViewOperand; readonly gt?: ViewOperand;
  readonly gte?: ViewOperand; readonly in?: ViewOperand; readonly prefix?: ViewOperand; readonly exists?: boolean;
}

/** A predicate over joined sources. */
export type PredicateOf<Path extends string> =
  | { readonly all: readonly PredicateOf<Path>[]; } | { readonly any: readonly PredicateOf<Path>[]; } | { readonly not: PredicateOf<Path>; }
  | Tests & { readonly path: Path; };

/** How a source is joined. */
export interface JoinOptions<Own extends Sources, Joined> {
  /** Which entities belong together. */
  readonly on: OnOf<Own, Joined>;
  /** Which entities of the source match; a path that begins with a slash leads into the source itself. */
  readonly where?: PredicateOf<PathOf<Own> | `/${Names<Joined>}` | `/${Names<Joined>}/${string}`>;
}

/** Returns a parameter: each use of the view gives its value. */
export function param(name: string): ViewParam { return { param: name }; }

/**
 * A view that is being built. Every step returns a new one; `rule` is the rule so far. Paths are checked by the compiler.
 *
 * ```ts
 * const openIssues = views<{ issue: Issue; project: Project }>().from("issue")
 *   .join("project", { on: { "@key": "issue/project" } })
 *   .where({ path: "project/team", eq: param("team") })
 *   .order("issue/created", "desc").limit(50)
 *   .select({ id: "issue/id", title: "issue/title", project: "project/name" });
 * const { rows } = await cache.calls.view.read({ view: openIssues.rule, params: { team: "ios" } });
 * ```
 */
export class View<All extends Types, Own extends Sources, Row, Nested = unknown> {
  /** The type of the rows; there is no value. */
  declare readonly row?: Row & Nested;

  /** Continues a rule. */
  constructor(readonly rule: ViewRule) { }

  /** Joins each match of another source. */
  join<Type extends keyof All & string, Alias extends string = Type>(
    type: Type, options: JoinOptions<Own, All[Type]> & { readonly as?: Alias; },
  ): View<All, Own & { readonly [Name in Alias]: All[Type]; }, Own & { readonly [Name in Alias]: All[Type]; }, Nested> {
    return this.joined(type, "inner", options);
  }

  /** Joins each match of another source; a row without one stays, and its alias has no value. */
  leftJoin<Type extends keyof All & string, Alias extends string = Type>(
    type: Type, options: JoinOptions<Own, All[Type]> & { readonly as?: Alias; },
  ): View<All, Own & { readonly [Name in Alias]: All[Type] | undefined; }, Own & { readonly [Name in Alias]?: All[Type]; }, Nested> {
    return this.joined(type, "left", options);
  }

  /** Keeps the rows for which there is a match. */
  exists<Type extends keyof All & string>(type: Type, options: JoinOptions<Own, All[Type]> & { readonly as?: string; }): View<All, Own, Row, Nested> {
    return this.joined(type, "exists", options);
  }

  /** Keeps the rows for which there is no match. */
  absent<Type extends keyof All & string>(type: Type, options: JoinOptions<Own, All[Type]> & { readonly as?: string; }): View<All, Own, Row, Nested> {
    return this.joined(type, "absent", options);
  }

  private joined<Next extends Sources, NextRow>(
    type: string, kind: NonNullable<ViewJoin["kind"]>, { on, where, as }: { readonly on: object; readonly where?: object; readonly as?: string; },
  ): View<All, Next, NextRow, Nested> {
    const join: ViewJoin = { type, as, kind, on: on as ViewConditions, where: where as ViewPredicate | undefined };
    return new View({ ...this.rule, joins: [...this.rule.joins ?? [], join] });
  }

  /** Keeps the rows for which a predicate holds, and all earlier ones. `/votes/n` is an aggregate of the include `votes`. */
  where(predicate: PredicateOf<PathOf<Own> | `/${string}/${string}`>): View<All, Own, Row, Nested> {
    const { where } = this.rule;
    return this.with({ where: where === undefined ? predicate : { all: [where, predicate] } });
  }

  /** Adds a nested result to each row: a list, one row or null, or aggregates. Its paths are not checked. */
  include<Name extends string, Value = unknown>(name: Name, include: ViewInclude): View<All, Own, Row, Nested & { readonly [Own in Name]: Value; }> {
    return this.with({ include: { ...this.rule.include, [name]: include } });
  }

  /** Selects the members of a row. */
  select<Members extends Readonly<Record<string, PathOf<Own>>>>(members: Members): View<All, Own, Selected<Own, Members>, Nested> {
    return this.with({ select: members });
  }

  /** Makes groups in place of rows: one for each value of `group`, or one row for `aggregates` alone. */
  group<Members extends Readonly<Record<string, PathOf<Own>>>, Names extends string>(
    group: Members, aggregates: Readonly<Record<Names, ViewAggregate>>,
  ): View<All, Own, Selected<Own, Members> & { readonly [Name in Names]: unknown; }> {
    return this.with({ group: Object.keys(group).length === 0 ? undefined : group, aggregates });
  }

  /** Keeps the groups for which a predicate over their row holds. */
  having(predicate: PredicateOf<`/${string}`>): View<All, Own, Row, Nested> { return this.with({ having: predicate }); }

  /** Orders by a value, after all earlier ones. A path that begins with a slash leads into the row. */
  order(path: PathOf<Own> | `/${string}`, direction: "asc" | "desc" = "asc"): View<All, Own, Row, Nested> {
    return this.with({ order: [...this.rule.order ?? [], { path, direction }] });
  }

  /** Cuts a window of the rows. */
  limit(limit: number, offset?: number): View<All, Own, Row, Nested> { return this.with({ limit, ...offset === undefined ? {} : { offset } }); }

  /** Returns the number of rows before the window is cut, too. */
  total(): View<All, Own, Row, Nested> { return this.with({ total: true }); }

  private with<NextRow, NextNested>(change: Partial<ViewRule>): View<All, Own, NextRow, NextNested> { return new View({ ...this.rule, ...change }); }
}

/** Begins views over the types of a program. */
export function views<All extends Types>(): {
  /** Begins a view with its first source. */
  from<Type extends keyof All & string, Alias extends string = Type>(
    type: Type, options?: { readonly as?: Alias; readonly where?: PredicateOf<`/${Names<All[Type]>}` | `/${Names<All[Type]>}/${string}`>; },
  ): View<All, { readonly [Name in Alias]: All[Type]; }, All[Type]>;
} {
  return { from: (type, options = {}) => new View({ from: { type, as: options.as, where: options.where } }) };
}
