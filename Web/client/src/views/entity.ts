import type { Pointer } from "../json/pointer.js";

/** One present entity of a type that views have. */
export class Entity {
  /** The values that were read; null while there are none. */
  private values: Map<Pointer, string | null> | null = null;

  /** Creates an entity. Its number identifies it in rows, and is never given again. */
  constructor(readonly number: number, readonly type: string, readonly id: string, private json: string) { }

  /** The key, `type:id`. */
  get key(): string { return `${this.type}:${this.id}`; }

  /** The visible resource. */
  get text(): string { return this.json; }

  /** Takes the resource of another version. Returns the version before. */
  become(version: Entity): Entity {
    const former = new Entity(this.number, this.type, this.id, this.json);
    former.values = this.values;
    this.json = version.json;
    this.values = version.values;
    return former;
  }

  /** Returns the value at a pointer as JSON; null if there is none. Each is read once, until `forget`. */
  value(pointer: Pointer): string | null {
    const values = this.values ??= new Map();
    let value = values.get(pointer);
    if (value === undefined) values.set(pointer, value = pointer.value(this.json));
    return value;
  }

  /** Forgets the values that were read, to save memory. */
  forget(): void { this.values = null; }
}
