import type { CacheClock } from "../engine/clock.js";
import { quoted } from "../json/text.js";
import { UpstreamError } from "../model/errors.js";
import type { HostError } from "./message.js";

interface Pending {
  method: string;
  resolve(result: string): void;
  reject(error: UpstreamError): void;
  cancelTimer(): void;
}

const COUNT_MAX = 1_000;
const METHOD_NOT_FOUND = -32601;

/** The requests of a session to its host, with ids "tm-1", "tm-2", …; at most 1,000 at a time. */
export class HostCalls {
  private readonly pending = new Map<string, Pending>();
  private lastNumber = 0;
  private refusal: UpstreamError | null = null;

  /** Creates a table of calls. `timeout` is in milliseconds. */
  constructor(
    private readonly write: (line: string) => void, private readonly timeout: number, private readonly clock: CacheClock,
  ) { }

  /** Sends a request with compact JSON params. Resolves with the result as JSON; rejects with an `UpstreamError`. */
  call(method: string, params: string): Promise<string> {
    this.lastNumber += 1;
    const id = `tm-${this.lastNumber}`;
    return new Promise((resolve, reject) => {
      if (this.refusal !== null) return reject(this.refusal);
      if (this.pending.size >= COUNT_MAX) {
        return reject(new UpstreamError(`${COUNT_MAX} requests wait for the host's answer: it must answer some first`));
      }
      const cancelTimer = this.clock.schedule(this.timeout, () =>
        this.end(id)?.reject(new UpstreamError(`the host did not answer ${method} in ${this.timeout} ms`, { code: "timed_out" })));
      this.pending.set(id, { method, resolve, reject, cancelTimer });
      this.write(`{"jsonrpc":"2.0","id":${quoted(id)},"method":${quoted(method)},"params":${params}}`);
    });
  }

  /** Handles a response of the host. Ignores one to an unknown or finished request. */
  take(id: string | null, result: string | null, error: HostError | null): void {
    const pending = id === null ? null : this.end(id);
    if (pending === null) return;
    if (result !== null && error === null) pending.resolve(result);
    else if (error !== null) {
      pending.reject(new UpstreamError(`the host says: ${error.message}`, {
        isFinal: error.code === METHOD_NOT_FOUND, isRefusal: true, retries: error.retries ?? undefined, code: error.name ?? undefined,
      }));
    }
  }

  /** Fails all open and future calls, because the session ends. */
  close(): void {
    this.refusal = new UpstreamError("the session ends: the host cannot answer any more", true);
    for (const id of [...this.pending.keys()]) this.end(id)?.reject(this.refusal);
  }

  private end(id: string): Pending | null {
    const pending = this.pending.get(id);
    if (pending === undefined) return null;
    this.pending.delete(id);
    pending.cancelTimer();
    return pending;
  }
}
