import TidemarkModel

/// RestKit's cache options, in any combination.
///
/// - Source: Protocol/http.md, policies.
package struct CacheOptions: OptionSet, Hashable, Sendable {
    /// The options as bits.
    package let rawValue: UInt16

    /// Creates options from bits.
    package init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Serves the stored response whatever its age, without asking the server.
    package static let enabled = CacheOptions(rawValue: 1)
    /// Serves the stored response if it is at most as old as the request's `timeout`.
    package static let timeout = CacheOptions(rawValue: 2)
    /// Serves the stored response while it is fresh by RFC 9111.
    package static let maxAge = CacheOptions(rawValue: 4)
    /// Sends the validators of the stored response, and serves it after a 304.
    package static let etag = CacheOptions(rawValue: 8)
    /// Serves the stored response if the host cannot be reached.
    package static let loadIfOffline = CacheOptions(rawValue: 16)
    /// Serves the stored response if the exchange fails in another way.
    package static let loadOnError = CacheOptions(rawValue: 32)
    /// Serves the stored response if the server sends the status 500, 502, 503 or 504.
    package static let staleIfError = CacheOptions(rawValue: 64)
    /// Serves the stored response within its `stale-while-revalidate`, and revalidates it in the background.
    package static let staleWhileRevalidate = CacheOptions(rawValue: 128)

    /// The options by their names in the protocol.
    package static let names: [(name: String, option: CacheOptions)] = [
        ("enabled", .enabled), ("timeout", .timeout), ("maxAge", .maxAge), ("etag", .etag),
        ("loadIfOffline", .loadIfOffline), ("loadOnError", .loadOnError), ("staleIfError", .staleIfError),
        ("staleWhileRevalidate", .staleWhileRevalidate),
    ]
}

/// When a request is served from the cache.
package enum CacheRules: Hashable, Sendable {
    /// RestKit's options.
    ///
    /// - Parameter timeout: The maximum age in seconds; not nil exactly if the options contain
    ///   ``CacheOptions/timeout``.
    case options(CacheOptions, timeout: Int64?)
    /// The rules of RFC 9111 for a private cache.
    case standard

    /// True if nothing is stored and nothing served.
    package var isNone: Bool { self == .options([], timeout: nil) }

    /// The default: the option ``CacheOptions/etag``.
    package static let defaults = CacheRules.options(.etag, timeout: nil)
}

/// Why an exchange failed. All transports use the same codes.
public enum ExchangeCode: String, CaseIterable, Hashable, Sendable {
    /// The host cannot be reached: its name is unknown, there is no route, or it refuses the connection.
    case offline
    /// The connection or the response took longer than its time limit.
    case timedOut = "timed_out"
    /// The connection broke, or the server did not send a response.
    case connectionLost = "connection_lost"
    /// The connection could not be encrypted, or the certificate is not trusted.
    case tlsFailed = "tls_failed"
    /// The body ended early, or its length is not that of the head.
    case truncated
    /// A redirect leads to an unusable URL or from https to http, or there were too many.
    case redirectFailed = "redirect_failed"
    /// The head or the body is larger than the limit.
    case limitExceeded = "limit_exceeded"
    /// The exchange was cancelled.
    case cancelled
}
