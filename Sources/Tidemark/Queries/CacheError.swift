/// The error of a cache that refused a request; nothing changed.
///
/// - Source: Protocol/errors.md, application errors.
public struct CacheError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        case unknownPending = "unknown_pending"
        case duplicatePending = "duplicate_pending"
        /// Nothing fresh enough is stored, and the request forbids asking an upstream.
        case cacheMiss = "cache_miss"
        case upstreamFailed = "upstream_failed"
        case invalidParams = "invalid_params"
        case limitExceeded = "limit_exceeded"
        /// The disk failed; memory is unchanged.
        case storageFailed = "storage_failed"
        case conflict
        case unknownSubscription = "unknown_subscription"
        /// An HTTP exchange failed: the host cannot be reached.
        case offline
        /// An HTTP exchange took longer than it may.
        case timedOut = "timed_out"
        /// The connection of an HTTP exchange broke.
        case connectionLost = "connection_lost"
        /// A connection could not be made secure.
        case tlsFailed = "tls_failed"
        /// The body of an HTTP answer ended early.
        case truncated
        /// An HTTP answer led to too many places, or to a forbidden one.
        case redirectFailed = "redirect_failed"
    }

    public var code: Code
    /// A description of the error and of the action to take.
    public var message: String
    /// The reasons of a read that failed both in the cache and at the upstream, by `cache` and `upstream`; otherwise
    /// empty.
    public var reasons: [String: String]

    public init(_ code: Code, _ message: String, reasons: [String: String] = [:]) {
        self.code = code
        self.message = message
        self.reasons = reasons
    }

    public var description: String { "\(code.rawValue): \(message)" }
}
