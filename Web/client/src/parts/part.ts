import { unreachable } from "../model/errors.js";

/** A part of the client in a file of its own, loaded soon after a cache is created, or when a step first needs it. */
export class Part<Code> {
  private loaded: Code | null = null;
  private loading: Promise<Code> | null = null;

  /** Creates a part that `fetch` loads; `name` appears in messages. */
  constructor(readonly name: string, private readonly fetch: () => Promise<Code>) { }

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
