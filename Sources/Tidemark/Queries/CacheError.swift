import TidemarkModel

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
        /// A document of GraphQL breaks the rules; the details list the findings.
        case invalidDocument = "invalid_document"
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

    /// A member of the error's data, beside its code.
    public struct Detail: Hashable, Sendable {
        public var name: ByteString
        /// The value as JSON.
        public var json: [UInt8]

        public init(_ name: ByteString, json: [UInt8]) {
            self.name = name
            self.json = json
        }
    }

    public var code: Code
    /// A description of the error and of the action to take.
    public var message: String
    /// The reasons of a read that failed both in the cache and at the upstream, by `cache` and `upstream`; otherwise
    /// empty.
    public var reasons: [String: String]
    /// Further members of the error's data; empty for most errors.
    public var details: [Detail]

    public init(_ code: Code, _ message: String, reasons: [String: String] = [:], details: [Detail] = []) {
        self.code = code
        self.message = message
        self.reasons = reasons
        self.details = details
    }

    public var description: String { "\(code.rawValue): \(message)" }
}
