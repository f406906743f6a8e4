import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// When a request is served from the cache: RestKit's options in any combination, or ``standard``.
///
/// With no option nothing is served from the cache and nothing is stored.
///
/// - Source: Protocol/http.md, policies.
public struct HTTPCachePolicy: OptionSet, Hashable, Sendable {
    /// The options as bits.
    public let rawValue: UInt16

    /// Creates a policy from the bits of its options.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Serves the stored response whatever its age, without asking the server.
    public static let enabled = HTTPCachePolicy(rawValue: CacheOptions.enabled.rawValue)
    /// Serves the stored response if it is at most as old as the request's `timeout`, without asking the server.
    public static let timeout = HTTPCachePolicy(rawValue: CacheOptions.timeout.rawValue)
    /// Serves the stored response while it is fresh by RFC 9111, without asking the server.
    public static let maxAge = HTTPCachePolicy(rawValue: CacheOptions.maxAge.rawValue)
    /// Sends the validators of the stored response, and serves it if the server confirms it with a 304.
    public static let etag = HTTPCachePolicy(rawValue: CacheOptions.etag.rawValue)
    /// Serves the stored response if the host cannot be reached.
    public static let loadIfOffline = HTTPCachePolicy(rawValue: CacheOptions.loadIfOffline.rawValue)
    /// Serves the stored response if the exchange fails in another way: it times out, the connection or TLS fails, or
    /// the body ends early.
    public static let loadOnError = HTTPCachePolicy(rawValue: CacheOptions.loadOnError.rawValue)
    /// Serves the stored response if the server sends the status 500, 502, 503 or 504.
    public static let staleIfError = HTTPCachePolicy(rawValue: CacheOptions.staleIfError.rawValue)
    /// Serves the stored response within its `stale-while-revalidate`, and revalidates it in the background.
    public static let staleWhileRevalidate = HTTPCachePolicy(rawValue: CacheOptions.staleWhileRevalidate.rawValue)
    /// The rules of RFC 9111 for a private cache. Options that are combined with it are ignored.
    public static let standard = HTTPCachePolicy(rawValue: 1 << 15)

    /// Returns the policy in the form that the rules use.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `invalidParams` if the policy has the option `timeout` and `timeout` is nil.
    func rules(timeout: Duration?) throws(CacheError) -> CacheRules {
        if contains(.standard) { return .standard }
        let options = CacheOptions(rawValue: rawValue)
        guard options.contains(.timeout) else { return .options(options, timeout: nil) }
        guard let timeout else {
            throw CacheError(.invalidParams, "the policy has timeout: pass its seconds as timeout")
        }
        return .options(options, timeout: timeout.components.seconds)
    }
}

/// Where a response is stored, and for how long.
public enum HTTPStoragePolicy: String, Hashable, Sendable {
    /// The response is not stored, and responses stored under the request's key are removed.
    case disabled
    /// The response is kept until the process ends.
    case session
    /// The response is kept until it is removed, or evicted as the least recently used.
    case permanent
}

extension HTTPStorage {
    init(_ policy: HTTPStoragePolicy) {
        switch policy {
        case .disabled: self = .disabled
        case .session: self = .session
        case .permanent: self = .permanent
        }
    }
}
