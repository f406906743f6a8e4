import { Entity } from "./entity.js";
import type { Aliases } from "./extractor.js";
import { Relation } from "./relation.js";
import type { Predicate } from "./rule.js";

/** What views read: the visible entities of one library. */
export interface ViewEntities {
  /** Calls `body` with the id and the visible resource of each present entity of a type. */
  forEach(type: string, body: (id: string, text: string) => void): void;
  /** True if the cache has an entity, or knows that it was deleted. */
  isKnown(type: string, id: string): boolean;
}

/** The entities of all types that the views of one library have, and the relations that views share. */
export class Relations {
  private readonly tables = new Map<string, Map<string, Entity>>();
  private readonly byType = new Map<string, Relation[]>();
  private lastNumber = 0;
  private relationCount = 0;

  /** Creates an empty set over a library. */
  constructor(readonly aliases: Aliases, private readonly entities: ViewEntities) { }

  /** True if a view has entities of a type. */
  has(type: string): boolean { return this.tables.has(type); }

  /** The types of all views. */
  get types(): Iterable<string> { return this.tables.keys(); }

  /** Returns the entity with a key; null if it is not present. */
  find(type: string, id: string): Entity | null { return this.tables.get(type)?.get(id) ?? null; }

  /** Returns all present entities of a type. */
  everyone(type: string): readonly Entity[] { return [...this.tables.get(type)?.values() ?? []]; }

  /** Returns the relations of a type. */
  ofType(type: string): readonly Relation[] { return this.byType.get(type) ?? []; }

  /** Returns the relation of a source, which is added and filled if there is none. */
  take(type: string, filter: Predicate | null): Relation {
    const table = this.table(type);
    this.relationCount += 1;
    const fresh = new Relation(type, filter, this.aliases, String(this.relationCount));
    const own = this.byType.get(type) ?? [];
    const known = own.find(({ filterText }) => filterText === fresh.filterText);
    if (known !== undefined) return known;
    this.byType.set(type, [...own, fresh]);
    for (const entity of table.values()) {
      fresh.fill(entity);
      entity.forget();
    }
    return fresh;
  }

  /** Counts the plans that use a relation. One that no plan uses any more is dropped, and its type with the last one. */
  use(relation: Relation, by: number): void {
    relation.userCount += by;
    if (relation.userCount > 0) return;
    const rest = this.ofType(relation.type).filter((other) => other !== relation);
    this.byType.set(relation.type, rest);
    if (rest.length > 0) return;
    this.byType.delete(relation.type);
    this.tables.delete(relation.type);
  }

  /** Creates an entity that became present. */
  add(type: string, id: string, text: string): Entity {
    const entity = new Entity(this.lastNumber += 1, type, id, text);
    this.table(type).set(id, entity);
    return entity;
  }

  /** Removes an entity that is no longer present. */
  remove(entity: Entity): void { this.tables.get(entity.type)?.delete(entity.id); }

  private table(type: string): Map<string, Entity> {
    const known = this.tables.get(type);
    if (known !== undefined) return known;
    const table = new Map<string, Entity>();
    this.tables.set(type, table);
    this.entities.forEach(type, (id, text) => { table.set(id, new Entity(this.lastNumber += 1, type, id, text)); });
    return table;
  }

  /** True if the cache has neither an entity nor its tombstone. */
  isUnknown(type: string, id: string): boolean { return this.find(type, id) === null && !this.entities.isKnown(type, id); }
}
