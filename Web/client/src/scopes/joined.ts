import type { NormalizedCache } from "../cache/cache.js";
import type { CacheHandle } from "../cache/port.js";
import type { Id, JsonObject } from "../cache/values.js";
import type { SentMutation, Upstream } from "../engine/ports.js";
import { compareBytes } from "../json/utf8.js";
import { UpstreamError } from "../model/errors.js";
import type { Sequence } from "../model/sequence.js";
import type { Scope } from "./connect.js";
import type { ScopeFollowing } from "./settings.js";

/** What several scopes show of one entity. */
export interface JoinedEntity {
  /** The entity with pending edits applied: of a member that several scopes show, the value of the first one. */
  readonly entity: JsonObject | null;
  /** True if the entity shows a pending edit. */
  readonly pending: boolean;
  /** True if one of the scopes is not caught up. */
  readonly stale: boolean;
  /** The libraries whose scopes show the entity, in the order of the scopes. */
  readonly libraries: readonly string[];
}

/** A cache in this page, or that of another tab. */
type Readable = Pick<CacheHandle, "calls">;

/**
 * Several scopes in one cache: each is a library of it, and an entity is what they show together. It leaves with the
 * last scope that shows it. There is no order between the changes of two scopes.
 */
export class JoinedScopes implements Upstream {
  /** Joins scopes; of members that several show, those of the first one count. */
  constructor(private readonly scopes: readonly Scope[]) { }

  /** Follows all scopes: ready once all are, ended with the first one that is refused. */
  follow(cache: NormalizedCache): ScopeFollowing {
    const all = this.scopes.map((scope) => scope.follow(cache));
    const ready = Promise.all(all.map((one) => one.ready)).then(() => undefined);
    const ended = Promise.all(all.map((one) => one.ended)).then(() => undefined);
    for (const promise of [ready, ended]) promise.catch(() => undefined);
    return { ready, ended, close: () => all.forEach((one) => one.close()) };
  }

  /** Returns events that the cache misses in the library of one of the scopes. */
  async eventsSince(library: string, sequence: Sequence): ReturnType<Scope["eventsSince"]> { return this.of(library).eventsSince(library, sequence); }

  /** Hands the mutation of a pending edit to the scope of its library. */
  async send(mutation: SentMutation): Promise<unknown> { return this.of(mutation.library_id).send(mutation); }

  /** Returns an entity as the scopes show it together. */
  async get(cache: Readable, resource_type: string, id: Id): Promise<JoinedEntity> {
    const results = await Promise.all(this.scopes.map(({ library }) => cache.calls.entity.get({ library_id: library, resource_type, id })));
    const found = results.map((result, index) => ({ ...result, library: this.scopes[index].library }));
    const shown = found.filter(({ entity }) => entity !== null);
    return {
      entity: shown.length === 0 ? null : merged(shown.map(({ entity }) => entity as JsonObject)),
      pending: found.some(({ pending }) => pending), stale: found.some(({ stale }) => stale), libraries: shown.map(({ library }) => library),
    };
  }

  /** Returns all entities of a type as the scopes show them together, by key (`type:id`) and in its order. */
  async list(cache: Readable, resource_type: string): Promise<ReadonlyMap<string, JsonObject>> {
    const view = { from: { type: resource_type, as: "entity" } };
    const results = await Promise.all(this.scopes.map(({ library }) => cache.calls.view.read({ library_id: library, view, keys: true })));
    const shown = new Map<string, JsonObject[]>();
    for (const { rows, keys } of results) {
      rows.forEach((row, index) => {
        const key = String((keys?.[index] as readonly unknown[] | undefined)?.[0]);
        shown.set(key, [...shown.get(key) ?? [], row as JsonObject]);
      });
    }
    return new Map([...shown].sort(([left], [right]) => compareBytes(left, right)).map(([key, entities]) => [key, merged(entities)]));
  }

  private of(library: string): Scope {
    const scope = this.scopes.find((one) => one.library === library);
    if (scope === undefined) throw new UpstreamError(`no scope has the library ${library}`, true);
    return scope;
  }
}

/** Returns the members of several objects; of equal names the first one counts. */
function merged(entities: readonly JsonObject[]): JsonObject {
  const members = new Map<string, JsonObject[string]>();
  for (const entity of entities) for (const [name, value] of Object.entries(entity)) if (!members.has(name)) members.set(name, value);
  return Object.fromEntries(members);
}

/**
 * Joins scopes that one cache follows. The result is its upstream.
 *
 * ```ts
 * const scopes = joinScopes(project, inbox);
 * const cache = new NormalizedCache({ upstream: scopes });
 * await scopes.follow(cache).ready;
 * const { entity } = await scopes.get(cache, "issue", "i1");
 * ```
 */
export function joinScopes(...scopes: readonly Scope[]): JoinedScopes { return new JoinedScopes(scopes); }
