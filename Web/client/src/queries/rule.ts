import { Pointer } from "../json/pointer.js";
import { elementsOf, kindOf, memberOf, membersOf, presentMember, stringValue } from "../json/text.js";
import { compareBytes } from "../json/utf8.js";
import { CacheError } from "../model/errors.js";
import { isType } from "../wire/identity.js";
import { lies, pathOf } from "./path.js";
import type { ScopePath } from "./path.js";
import { areComparable, compareValues, exactCode, orderValue, startsWithBytes } from "./value.js";
import type { Requirement, ResourceView, Rule, SortKey } from "./view.js";

/** The sort key below every other one. */
export const LOWEST_KEY: SortKey = { values: [{ rank: -1, text: "" }], id: "" };

const ALTERNATES = Pointer.member("alternate_paths");
const SD_PATH = Pointer.member("sd_path");

/** Returns the paths of a resource: the one at a pointer, and its alternates. Each pointer is read once. */
function pathsAt(view: ResourceView, pointer: Pointer): readonly ScopePath[] {
  const known = view.paths.get(pointer);
  if (known !== undefined) return known;
  const alternates = view.at(ALTERNATES);
  const own = view.at(pointer);
  const all = [...(own === null ? [] : [own]), ...(alternates?.startsWith("[") === true ? elementsOf(alternates) : [])];
  const paths = all.map(pathOf).filter((path): path is ScopePath => path !== null);
  view.paths.set(pointer, paths);
  return paths;
}

type Predicate = (view: ResourceView) => boolean;

const DEPTH_MAX = 32;
const PREDICATE_COUNT_MAX = 1_000;
const ALTERNATIVE_COUNT_MAX = 10_000;
const ORDER_COUNT_MAX = 16;

/** Parses a rule from compact JSON. Throws `invalid_params` with the place of the fault. */
export function parseRule(json: string): Rule { return new RuleParser().rule(json); }

class RuleParser {
  private predicateCount = 0;
  private alternativeCount = 0;
  private readonly requirements: Requirement[] = [];
  private readonly pointers = new Map<string, Pointer>();

  rule(json: string): Rule {
    this.want(kindOf(json) === "object", "", "is not an object; write {…}");
    const type = presentMember(json, "resource_type");
    const name = type === null ? "" : this.string(type, "/resource_type");
    this.want(isType(name, 128), "/resource_type", "is not a type; write 1 to 128 of A-Z a-z 0-9 _ . -");
    const where = presentMember(json, "where");
    const predicate = where === null ? null : this.predicate(where, "/where", 1, true);
    const limit = this.limit(json);
    const scope = this.scope(json);
    const order = this.order(json);
    const requirement = this.requirements.reduce<Requirement | null>(
      (best, own) => best === null || own.codes.size < best.codes.size ? own : best, null);
    return {
      resourceType: name, limit: limit ?? Infinity, hasLimit: limit !== null, requirement,
      matches: (view) => (predicate === null || predicate(view)) && (scope === null || scope(view)),
      sortKey: (view, id) => ({ values: order.map(({ pointer }) => orderValue(view.at(pointer))), id }),
      compare(left, right) {
        for (let index = 0; index < order.length; index += 1) {
          const own = left.values[index];
          const other = right.values[index];
          if (own === undefined || other === undefined) break;
          // The lowest key is first in descending order, too.
          if (own.rank < 0 || other.rank < 0) return own.rank - other.rank;
          const difference = compareValues(own, other);
          if (difference !== 0) return order[index].isDescending ? -difference : difference;
        }
        if (left === LOWEST_KEY || right === LOWEST_KEY) return left === right ? 0 : left === LOWEST_KEY ? -1 : 1;
        return compareBytes(left.id, right.id);
      },
    };
  }

  private limit(json: string): number | null {
    const value = presentMember(json, "limit");
    if (value === null) return null;
    this.want(/^[1-9][0-9]{0,18}$/.test(value) && BigInt(value) < 1n << 63n, "/limit", "is not an integer of 1 or more");
    return Number(value);
  }

  private scope(json: string): Predicate | null {
    const scope = presentMember(json, "scope");
    if (scope === null) return null;
    this.want(kindOf(scope) === "object", "/scope", "is not an object; write {…}");
    const path = presentMember(scope, "path");
    const directory = path === null ? null : pathOf(path);
    if (directory === null) return this.wrong("/scope/path", "is not a path; write a string, or a tagged path");
    const recursive = presentMember(scope, "recursive");
    const isRecursive = recursive !== null && this.boolean(recursive, "/scope/recursive");
    const written = presentMember(scope, "pointer");
    const pointer = written === null ? SD_PATH : this.pointer(written, "/scope/pointer");
    return (view) => pathsAt(view, pointer).some((path) => lies(path, directory, isRecursive));
  }

  private order(json: string): { pointer: Pointer; isDescending: boolean; }[] {
    const order = presentMember(json, "order");
    if (order === null) return [];
    const components = this.elements(order, "/order");
    this.want(components.length <= ORDER_COUNT_MAX, "/order", `has more than ${ORDER_COUNT_MAX} components`);
    return components.map((component, index) => {
      const place = `/order/${index}`;
      this.want(kindOf(component) === "object", place, "is not an object; write {…}");
      const path = presentMember(component, "path");
      if (path === null) return this.wrong(`${place}/path`, "is missing; write a JSON Pointer");
      const direction = presentMember(component, "direction");
      const name = direction === null ? "asc" : this.string(direction, `${place}/direction`);
      const isDescending = name === "desc" || name === "descending";
      this.want(isDescending || name === "asc" || name === "ascending", `${place}/direction`, "is not a direction; write \"asc\" or \"desc\"");
      return { pointer: this.pointer(path, `${place}/path`), isDescending };
    });
  }

  // Predicates

  private predicate(json: string, place: string, depth: number, isRequired: boolean): Predicate {
    this.want(depth <= DEPTH_MAX, place, `nests deeper than ${DEPTH_MAX}`);
    this.want(kindOf(json) === "object", place, "is not an object; write {…}");
    const members = membersOf(json);
    if (members.some((member) => member.name === "path")) return this.tests(json, place, isRequired);
    const [only] = members;
    if (only === undefined || members.length > 1) return this.noPredicate(place);
    this.count(place);
    const several = (isInnerRequired: boolean): Predicate[] => this.elements(only.value, `${place}/${only.name}`).map(
      (element, index) => this.predicate(element, `${place}/${only.name}/${index}`, depth + 1, isInnerRequired));
    switch (only.name) {
      case "all": {
        const inner = several(isRequired);
        return (view) => inner.every((own) => own(view));
      }
      case "any": {
        const inner = several(false);
        return (view) => inner.some((own) => own(view));
      }
      case "not": {
        const inner = this.predicate(only.value, `${place}/not`, depth + 1, false);
        return (view) => !inner(view);
      }
      default: return this.noPredicate(place);
    }
  }

  private noPredicate(place: string): never {
    return this.wrong(place, "is not a predicate; write a path with an operator, or one of all, any, not alone");
  }

  private tests(json: string, place: string, isRequired: boolean): Predicate {
    const pointer = this.pointer(memberOf(json, "path") ?? "null", `${place}/path`);
    const tests: Predicate[] = [];
    for (const { name, value } of membersOf(json)) {
      if (name === "path") continue;
      this.count(place);
      tests.push(this.test(pointer, name, value, place, isRequired));
    }
    this.want(tests.length > 0, place, "has a path but no operator; write one of eq ne lt lte gt gte in exists prefix");
    return tests.length === 1 ? tests[0] : (view) => tests.every((test) => test(view));
  }

  private test(pointer: Pointer, name: string, operand: string, place: string, isRequired: boolean): Predicate {
    switch (name) {
      case "eq": case "ne": {
        const code = exactCode(operand);
        if (name === "eq" && isRequired) this.requirements.push({ pointer, codes: new Set([code]) });
        const isEqual = name === "eq";
        return (view) => {
          const value = view.at(pointer);
          return (value !== null && (value === operand || exactCode(value) === code)) === isEqual;
        };
      }
      case "lt": return this.ordered(pointer, operand, (order) => order < 0);
      case "lte": return this.ordered(pointer, operand, (order) => order <= 0);
      case "gt": return this.ordered(pointer, operand, (order) => order > 0);
      case "gte": return this.ordered(pointer, operand, (order) => order >= 0);
      case "in": {
        const codes = new Set(this.elements(operand, `${place}/in`).map(exactCode));
        this.alternativeCount += elementsOf(operand).length;
        this.want(this.alternativeCount <= ALTERNATIVE_COUNT_MAX, place, `has more than ${ALTERNATIVE_COUNT_MAX} values of in`);
        if (isRequired) this.requirements.push({ pointer, codes });
        return (view) => {
          const value = view.at(pointer);
          return value !== null && codes.has(exactCode(value));
        };
      }
      case "exists": {
        const isWanted = this.boolean(operand, `${place}/exists`);
        return (view) => (view.at(pointer) !== null) === isWanted;
      }
      case "prefix": {
        const prefix = this.string(operand, `${place}/prefix`);
        return (view) => {
          const value = view.at(pointer);
          return value !== null && kindOf(value) === "string" && startsWithBytes(stringValue(value), prefix);
        };
      }
      default: return this.wrong(place, "has a member that is not an operator; write eq ne lt lte gt gte in exists or prefix beside the path");
    }
  }

  private ordered(pointer: Pointer, operand: string, holds: (order: number) => boolean): Predicate {
    const wanted = orderValue(operand);
    return (view) => {
      const value = orderValue(view.at(pointer));
      return areComparable(value, wanted) && holds(compareValues(value, wanted));
    };
  }

  // Values

  private string(json: string, place: string): string {
    this.want(kindOf(json) === "string", place, "is not a string; write \"…\"");
    return stringValue(json);
  }

  private boolean(json: string, place: string): boolean {
    this.want(kindOf(json) === "bool", place, "is neither true nor false");
    return json === "true";
  }

  private elements(json: string, place: string): string[] {
    this.want(kindOf(json) === "array", place, "is not an array; write […]");
    return elementsOf(json);
  }

  /** Equal pointers are one object, so that a resource is read once for all tests. */
  private pointer(json: string, place: string): Pointer {
    const text = this.string(json, place);
    const known = shared.get(text) ?? this.pointers.get(text);
    if (known !== undefined) return known;
    const pointer = Pointer.parse(text);
    if (typeof pointer === "string") return this.wrong(place, pointer);
    this.pointers.set(text, pointer);
    if (shared.size < SHARED_COUNT_MAX) shared.set(text, pointer);
    return pointer;
  }

  private count(place: string): void {
    this.predicateCount += 1;
    this.want(this.predicateCount <= PREDICATE_COUNT_MAX, place, `is one predicate more than ${PREDICATE_COUNT_MAX}`);
  }

  private want(isRight: boolean, place: string, what: string): void {
    if (!isRight) this.wrong(place, what);
  }

  private wrong(place: string, what: string): never {
    throw new CacheError("invalid_params", `membership: ${place === "" ? "" : `${place} of `}the membership rule ${what}`);
  }
}

const SHARED_COUNT_MAX = 1_000;
const shared = new Map<string, Pointer>();
