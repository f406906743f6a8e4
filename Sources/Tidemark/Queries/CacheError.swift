/// Why a cache did not do what it was asked for; nothing changed.
///
/// - Source: Protocol/errors.md, application errors.
public struct CacheError: Error, Hashable, Sendable, CustomStringConvertible {
    public enum Code: String, Sendable, CaseIterable {
        case unknownPending = "unknown_pending"
        case duplicatePending = "duplicate_pending"
        /// Nothing fresh enough is stored, and nothing may be asked for.
        case cacheMiss = "cache_miss"
        case upstreamFailed = "upstream_failed"
        case invalidParams = "invalid_params"
        case limitExceeded = "limit_exceeded"
        /// The disk failed; memory is as it was.
        case storageFailed = "storage_failed"
        case conflict
        case unknownSubscription = "unknown_subscription"
    }

    public var code: Code
    /// What happened, and what to do.
    public var message: String
    /// For a read that both sides failed: why each did, by `cache` and `upstream`; else empty.
    public var reasons: [String: String]

    public init(_ code: Code, _ message: String, reasons: [String: String] = [:]) {
        self.code = code
        self.message = message
        self.reasons = reasons
    }

    public var description: String { "\(code.rawValue): \(message)" }
}
