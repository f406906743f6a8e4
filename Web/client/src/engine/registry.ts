import type { JsonObject } from "./calls.js";

/** Reads one resource as a program's own type. Throws where it is none. */
export type ResourceDecoder<Resource> = (resource: JsonObject) => Resource;

/** A resource that its decoder refused. */
export class ResourceError extends Error {
  constructor(readonly resourceType: string, readonly resource: JsonObject, readonly reason: unknown) {
    super(`a ${resourceType} cannot be read: ${reason instanceof Error ? reason.message : String(reason)}`);
    this.name = "ResourceError";
  }
}

/** The decoders of a program by type; the types of what they give are inferred. */
export class ResourceTypeRegistry<Types extends Readonly<Record<string, ResourceDecoder<unknown>>>> {
  /** What was read, by the resource that it was read from: a resource that did not change is the same value again. */
  private readonly known = new Map<string, WeakMap<JsonObject, unknown>>();

  constructor(private readonly decoders: Types) { }

  /** The types that can be read. */
  get types(): (keyof Types & string)[] { return Object.keys(this.decoders); }

  /** Reads one resource. Throws `ResourceError`. */
  decode<Type extends keyof Types & string>(type: Type, resource: JsonObject): ReturnType<Types[Type]> {
    let known = this.known.get(type);
    if (known === undefined) this.known.set(type, known = new WeakMap());
    if (known.has(resource)) return known.get(resource) as ReturnType<Types[Type]>;
    let value: unknown;
    try {
      value = this.decoders[type](resource);
    } catch (error) {
      throw new ResourceError(type, resource, error);
    }
    known.set(resource, value);
    return value as ReturnType<Types[Type]>;
  }

  /** Reads the resources of a list; those that cannot be read are given to `refused` and left out. */
  decodeAll<Type extends keyof Types & string>(
    type: Type, resources: readonly JsonObject[], refused: (error: ResourceError) => void = () => undefined,
  ): ReturnType<Types[Type]>[] {
    const values: ReturnType<Types[Type]>[] = [];
    for (const resource of resources) {
      try {
        values.push(this.decode(type, resource));
      } catch (error) {
        if (!(error instanceof ResourceError)) throw error;
        refused(error);
      }
    }
    return values;
  }

  /** Tells whether a resource can be read. */
  isValid(type: keyof Types & string, resource: JsonObject): boolean {
    return this.decodeAll(type, [resource]).length === 1;
  }
}
