import type { JsonObject } from "./calls.js";

/** Converts a resource to a program's own type; throws if the resource does not fit it. */
export type ResourceDecoder<Resource> = (resource: JsonObject) => Resource;

/** Thrown for a resource that its decoder refused. */
export class ResourceError extends Error {
  /** Creates the error for a resource of a type; `reason` is what the decoder threw. */
  constructor(readonly resourceType: string, readonly resource: JsonObject, readonly reason: unknown) {
    super(`a ${resourceType} cannot be read: ${reason instanceof Error ? reason.message : String(reason)}`);
    this.name = "ResourceError";
  }
}

/**
 * A program's decoders by resource type. The types of the decoded values are inferred.
 *
 * ```ts
 * const types = new ResourceTypeRegistry({ file: ({ id, name }) => ({ id: String(id), name: String(name) }) });
 * const { entities } = await cache.calls.query.read({ method: "search.files" });
 * const names = types.decodeAll("file", entities).map((file) => file.name);
 * ```
 */
export class ResourceTypeRegistry<Types extends Readonly<Record<string, ResourceDecoder<unknown>>>> {
  /** Decoded values by their resource: an unchanged resource decodes to the same object again. */
  private readonly known = new Map<string, WeakMap<JsonObject, unknown>>();

  /** Creates a registry of the decoders of some types. */
  constructor(private readonly decoders: Types) { }

  /** The registered types. */
  get types(): (keyof Types & string)[] { return Object.keys(this.decoders); }

  /** Decodes one resource. Throws a `ResourceError` if its decoder refuses it. */
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

  /**
   * Decodes the resources of a list. Those that cannot be decoded are left out, and their errors passed to `refused`.
   */
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

  /** True if the resource can be decoded as the type. */
  isValid(type: keyof Types & string, resource: JsonObject): boolean {
    return this.decodeAll(type, [resource]).length === 1;
  }
}
