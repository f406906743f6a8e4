/** The name of an error that a request can end with. Protocol/errors.md. */
export type ErrorCode =
  | "unknown_pending" | "duplicate_pending" | "cache_miss" | "upstream_failed" | "invalid_params" | "limit_exceeded"
  | "storage_failed" | "conflict" | "unknown_subscription" | "method_not_found";

const numbers: Record<ErrorCode, number> = {
  unknown_pending: 1000, duplicate_pending: 1001, cache_miss: 1002, upstream_failed: 1003, invalid_params: 1004,
  limit_exceeded: 1005, storage_failed: 1006, conflict: 1007, unknown_subscription: 1008, method_not_found: -32601,
};

/** Why the cache, and the upstream, had no answer. */
export interface Reasons {
  cache?: string;
  upstream?: string;
}

/** The error of a cache that refused a request; nothing changed. */
export class CacheError extends Error {
  /** The name of the error. */
  readonly code: ErrorCode;
  /** Why each side had no answer, of those that were asked. */
  readonly reasons: Reasons;

  constructor(code: ErrorCode, message: string, reasons: Reasons = {}) {
    super(message);
    this.name = "CacheError";
    this.code = code;
    this.reasons = reasons;
  }

  /** The number of the error in JSON-RPC. */
  get number(): number { return numbers[this.code]; }
}

/** The refusal of one library, or one type, too many. */
export function noRoomFor(what: string): CacheError {
  return new CacheError("limit_exceeded", `there is no room for another ${what}: use one that is known`);
}

/** More about the failure of an upstream. */
export interface UpstreamFailure {
  /** Whether another attempt is useless. */
  isFinal?: boolean;
  /** Whether the server took the request and refused it. */
  isRefusal?: boolean;
  /** Whether a mutation is sent again; without it, what was refused is not, unless the code says that nobody was reached. */
  retries?: boolean;
  /** The name of the error that the server gave. */
  code?: string;
}

/** The failure of an upstream; `isFinal` says that another attempt is useless. */
export class UpstreamError extends Error {
  readonly isFinal: boolean;
  readonly isRefusal: boolean;
  readonly retries: boolean | null;
  readonly code: string | null;

  constructor(message: string, failure: boolean | UpstreamFailure = {}) {
    super(message);
    this.name = "UpstreamError";
    const { isFinal, isRefusal, retries, code } = typeof failure === "boolean" ? { isFinal: failure, isRefusal: failure } as UpstreamFailure : failure;
    this.isFinal = isFinal ?? false;
    this.isRefusal = isRefusal ?? false;
    this.retries = retries ?? null;
    this.code = code ?? null;
  }
}

/** Why a line or a member of a batch is in quarantine. Protocol/errors.md, reasons. */
export type Reason =
  | "too_long" | "invalid_utf8" | "too_deep" | "not_json" | "bad_shape" | "bad_sequence" | "bad_type"
  | "batch_too_large" | "missing_id" | "id_too_long" | "too_many_libraries" | "too_large";

/** Ends the process of a program whose own law is broken: no input leads here. */
export function unreachable(message: string): never {
  throw new Error(`a law of the cache is broken: ${message}`);
}
