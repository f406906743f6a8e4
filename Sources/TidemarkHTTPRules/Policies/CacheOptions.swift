import TidemarkModel

/// RestKit's cache options, in any combination. Source: Protocol/http.md, policies.
package struct CacheOptions: OptionSet, Hashable, Sendable {
    package let rawValue: UInt16

    package init(rawValue: UInt16) { self.rawValue = rawValue }

    package static let enabled = CacheOptions(rawValue: 1)
    package static let timeout = CacheOptions(rawValue: 2)
    package static let maxAge = CacheOptions(rawValue: 4)
    package static let etag = CacheOptions(rawValue: 8)
    package static let loadIfOffline = CacheOptions(rawValue: 16)
    package static let loadOnError = CacheOptions(rawValue: 32)
    package static let staleIfError = CacheOptions(rawValue: 64)
    package static let staleWhileRevalidate = CacheOptions(rawValue: 128)

    package static let names: [(name: String, option: CacheOptions)] = [
        ("enabled", .enabled), ("timeout", .timeout), ("maxAge", .maxAge), ("etag", .etag),
        ("loadIfOffline", .loadIfOffline), ("loadOnError", .loadOnError), ("staleIfError", .staleIfError),
        ("staleWhileRevalidate", .staleWhileRevalidate),
    ]
}

/// The conditions for answering a request from the cache.
package enum CacheRules: Hashable, Sendable {
    /// - Parameter timeout: Seconds; there exactly when the options contain ``CacheOptions/timeout``.
    case options(CacheOptions, timeout: Int64?)
    /// RFC 9111 for a private cache.
    case standard

    /// Whether nothing is stored, and nothing served.
    package var isNone: Bool { self == .options([], timeout: nil) }

    package static let defaults = CacheRules.options(.etag, timeout: nil)
}

/// The reason why an exchange failed. One set of codes for all transports.
public enum ExchangeCode: String, CaseIterable, Hashable, Sendable {
    case offline
    case timedOut = "timed_out"
    case connectionLost = "connection_lost"
    case tlsFailed = "tls_failed"
    case truncated
    case redirectFailed = "redirect_failed"
    case limitExceeded = "limit_exceeded"
    case cancelled
}
