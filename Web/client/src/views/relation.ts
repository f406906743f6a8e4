import { own } from "../json/own.js";
import type { Entity } from "./entity.js";
import { keysOf, nameOf } from "./extractor.js";
import type { Aliases, Extractor } from "./extractor.js";
import { holds, textOf } from "./predicate.js";
import type { Predicate } from "./rule.js";

const NONE: ReadonlySet<Entity> = new Set();

/** A hash index of a relation: its entities by join key. */
export class JoinIndex {
  private readonly buckets = new Map<string, Set<Entity>>();

  /** Creates an index; `name` is unique among all indexes of a library. */
  constructor(readonly extractor: Extractor, readonly name: string) { }

  /** True once a rendered row has read a bucket: before, nobody needs to know what changes touch. */
  isRead = false;

  /** The number of keys. */
  get size(): number { return this.buckets.size; }

  /** Adds an entity under keys. */
  insert(entity: Entity, keys: readonly string[]): void {
    for (const key of keys) {
      const bucket = this.buckets.get(key);
      if (bucket === undefined) this.buckets.set(own(key), new Set([entity]));
      else bucket.add(entity);
    }
  }

  /** Removes an entity from under keys. */
  remove(entity: Entity, keys: readonly string[]): void {
    for (const key of keys) {
      const bucket = this.buckets.get(key);
      bucket?.delete(entity);
      if (bucket?.size === 0) this.buckets.delete(key);
    }
  }

  /** Returns the entities with a key. */
  entities(key: string): ReadonlySet<Entity> { return this.buckets.get(key) ?? NONE; }
}

/** The entities of a type that fulfil the fixed part of a source's `where`, with hash indexes. Views share it. */
export class Relation {
  /** The entities. */
  readonly members = new Set<Entity>();
  /** The indexes by the name of their extractor. */
  private readonly byName = new Map<string, JoinIndex>();
  /** The indexes in the order of their creation. */
  readonly indexes: JoinIndex[] = [];
  /** The number of plans that use the relation. */
  userCount = 0;
  /** The predicate as text, by which sources that may share the relation are recognized. */
  readonly filterText: string;

  /** Creates an empty relation. `slot`: the slot that the predicate reads. */
  constructor(readonly type: string, private readonly filter: Predicate | null, private readonly aliases: Aliases, private readonly name: string) {
    this.filterText = filter === null ? "" : textOf(filter);
  }

  /** True if an entity fulfils the fixed condition. */
  admits(entity: Entity): boolean {
    return this.filter === null || holds(this.filter, null, (reference) => reference.is === "source" ? entity.value(reference.path.pointer) : null);
  }

  /** Returns the index with an extractor, which is added and filled if there is none. */
  index(extractor: Extractor): JoinIndex {
    const name = nameOf(extractor);
    let index = this.byName.get(name);
    if (index !== undefined) return index;
    index = new JoinIndex(extractor, `${this.name} ${this.indexes.length}`);
    this.byName.set(name, index);
    this.indexes.push(index);
    for (const entity of this.members) {
      index.insert(entity, keysOf(extractor, entity, this.aliases));
      entity.forget();
    }
    return index;
  }

  /** Adds an entity if it fulfils the condition. */
  fill(entity: Entity): void {
    if (!this.admits(entity)) return;
    this.members.add(entity);
    for (const index of this.indexes) index.insert(entity, keysOf(index.extractor, entity, this.aliases));
  }

  /**
   * Files a member under the keys of its new version in place of those of its old one; null for a version that is no
   * member. Passes each touched bucket to `touch`.
   */
  refile(entity: Entity, old: Entity | null, fresh: Entity | null, touch: (bucket: string) => void): void {
    for (const index of this.indexes) {
      const { extractor } = index;
      // Most changes leave the value alone from which an index makes its keys.
      const isAlike = old !== null && fresh !== null && "pointer" in extractor && old.value(extractor.pointer) === fresh.value(extractor.pointer);
      if (isAlike && !index.isRead) continue;
      const before = old === null ? [] : keysOf(extractor, old, this.aliases);
      if (index.isRead) for (const key of before) touch(bucketName(index, key));
      if (isAlike) continue;
      const after = fresh === null ? [] : keysOf(extractor, fresh, this.aliases);
      index.remove(entity, before);
      index.insert(entity, after);
      if (index.isRead) for (const key of after) touch(bucketName(index, key));
    }
    if (fresh === null) this.members.delete(entity);
    else this.members.add(entity);
  }
}

/** Returns a name of a bucket of a hash index, which no entity key is equal to. */
export function bucketName(index: JoinIndex, key: string): string { return `\0${index.name} ${key}`; }
