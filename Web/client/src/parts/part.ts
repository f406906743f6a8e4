import { unreachable } from "../model/errors.js";

/** A part of the client that is loaded by itself: soon after a cache was made, or when a step first needs it. */
export class Part<Code> {
  private loaded: Code | null = null;
  private loading: Promise<Code> | null = null;

  constructor(readonly name: string, private readonly fetch: () => Promise<Code>) { }

  get isLoaded(): boolean { return this.loaded !== null; }

  /** The functions of the part. A step that uses them has seen before it began that the part is loaded. */
  get code(): Code { return this.loaded ?? unreachable(`the part ${this.name} is used before it is loaded`); }

  /** Takes the functions of a program that has them already. */
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
