/** The code of an error that ends a request. Protocol/errors.md. */
export type ErrorCode =
  | "unknown_pending" | "duplicate_pending" | "cache_miss" | "upstream_failed" | "invalid_params" | "limit_exceeded"
  | "storage_failed" | "conflict" | "unknown_subscription" | "method_not_found" | "not_found";

const numbers: Record<ErrorCode, number> = {
  unknown_pending: 1000, duplicate_pending: 1001, cache_miss: 1002, upstream_failed: 1003, invalid_params: 1004,
  limit_exceeded: 1005, storage_failed: 1006, conflict: 1007, unknown_subscription: 1008, not_found: 1016, method_not_found: -32601,
};

/** Why the cache and the upstream had no answer; only for those that were asked. */
export interface Reasons {
  /** Why the cache could not answer. */
  cache?: string;
  /** Why the upstream did not answer. */
  upstream?: string;
}

/** Thrown when a cache refuses a request. The request changed nothing. */
export class CacheError extends Error {
  /** The code of the error. */
  readonly code: ErrorCode;
  /** Why the cache and the upstream had no answer, for a failed read. */
  readonly reasons: Reasons;

  /** Creates an error with a code and a message. */
  constructor(code: ErrorCode, message: string, reasons: Reasons = {}) {
    super(message);
    this.name = "CacheError";
    this.code = code;
    this.reasons = reasons;
  }

  /** The JSON-RPC number of the error. */
  get number(): number { return numbers[this.code]; }
}

/** Returns the error for one library or type too many; `what` names the kind. */
export function noRoomFor(what: string): CacheError {
  return new CacheError("limit_exceeded", `there is no room for another ${what}: use one that is known`);
}

/** Details of an `UpstreamError`. */
export interface UpstreamFailure {
  /** True if a retry cannot succeed. */
  isFinal?: boolean;
  /** True if the server received the request and refused it. */
  isRefusal?: boolean;
  /**
   * True if a mutation is sent again. By default a refused one is not, unless `code` says that the server was not
   * reached.
   */
  retries?: boolean;
  /** The server's error code. */
  code?: string;
}

/**
 * Thrown by an upstream that cannot answer.
 *
 * ```ts
 * if (response.status === 404) throw new UpstreamError("the library does not exist", { isFinal: true });
 * ```
 */
export class UpstreamError extends Error {
  /** True if a retry cannot succeed. */
  readonly isFinal: boolean;
  /** True if the server received the request and refused it. */
  readonly isRefusal: boolean;
  /** Whether a mutation is sent again; null to decide by `isRefusal` and `code`. */
  readonly retries: boolean | null;
  /** The server's error code; null if there is none. */
  readonly code: string | null;

  /** Creates an error. `failure` true means both `isFinal` and `isRefusal`. */
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

/** Why a line or a batch member was quarantined. Protocol/errors.md, reasons. */
export type Reason =
  | "too_long" | "invalid_utf8" | "too_deep" | "not_json" | "bad_shape" | "bad_sequence" | "bad_type"
  | "batch_too_large" | "missing_id" | "id_too_long" | "too_many_libraries" | "too_large";

/** Throws because an invariant of the cache is broken. No input can cause this. */
export function unreachable(message: string): never {
  throw new Error(`a law of the cache is broken: ${message}`);
}
