import { unreachable } from "./errors.js";

/**
 * A part of the client in a file of its own, loaded soon after a cache is created, or when a step first needs it.
 * `Code` is what the code below the part calls; the part itself may contain more.
 */
export class Part<Code> {
  private loaded: Code | null = null;
  private loading: Promise<Code> | null = null;
  private fetch: () => Promise<Code> = () => unreachable(`nothing says where the part ${this.name} is`);

  /** Creates a part; `name` appears in messages. It is loaded only after `from`. */
  constructor(readonly name: string) { }

  /** Sets where the part is loaded from. Returns the part with the type of all its code. */
  from<Whole extends Code>(fetch: () => Promise<Whole>): Part<Whole> {
    this.fetch = fetch;
    return this as unknown as Part<Whole>;
  }

  /** True once the part is loaded. */
  get isLoaded(): boolean { return this.loaded !== null; }

  /** The functions of the part. The caller has checked `isLoaded`. */
  get code(): Code { return this.loaded ?? unreachable(`the part ${this.name} is used before it is loaded`); }

  /** Sets the functions of the part, for a program that bundles them. */
  install(code: Code): void { this.loaded = code; }

  /** Loads the part once. Rejects when it cannot be loaded; the next call tries again. */
  load(): Promise<Code> {
    return this.loading ??= this.fetch().then(
      (code) => this.loaded = code,
      (error: unknown) => {
        this.loading = null;
        throw error;
      });
  }
}
