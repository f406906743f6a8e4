import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// The conditions for answering a request from the cache: RestKit's options in any combination, or ``standard``.
///
/// - Source: Protocol/http.md, policies.
public struct HTTPCachePolicy: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Whenever something is stored, whatever its age.
    public static let enabled = HTTPCachePolicy(rawValue: CacheOptions.enabled.rawValue)
    /// Uses the stored answer when it is not older than the request's `timeout`.
    public static let timeout = HTTPCachePolicy(rawValue: CacheOptions.timeout.rawValue)
    /// Uses the stored answer while it is fresh by RFC 9111.
    public static let maxAge = HTTPCachePolicy(rawValue: CacheOptions.maxAge.rawValue)
    /// Uses the stored answer after a 304 to its validators.
    public static let etag = HTTPCachePolicy(rawValue: CacheOptions.etag.rawValue)
    /// Uses the stored answer when the host cannot be reached.
    public static let loadIfOffline = HTTPCachePolicy(rawValue: CacheOptions.loadIfOffline.rawValue)
    /// Uses the stored answer when the exchange fails otherwise.
    public static let loadOnError = HTTPCachePolicy(rawValue: CacheOptions.loadOnError.rawValue)
    /// Uses the stored answer on status 500, 502, 503 and 504.
    public static let staleIfError = HTTPCachePolicy(rawValue: CacheOptions.staleIfError.rawValue)
    /// Uses the stored answer within its `stale-while-revalidate`, and asks the server meanwhile.
    public static let staleWhileRevalidate = HTTPCachePolicy(rawValue: CacheOptions.staleWhileRevalidate.rawValue)
    /// RFC 9111 for a private cache. Other options beside it have no meaning.
    public static let standard = HTTPCachePolicy(rawValue: 1 << 15)

    /// - Throws: ``Tidemark/CacheError`` `invalidParams` for the option `timeout` without its number.
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

/// The place where an answer is stored.
public enum HTTPStoragePolicy: String, Hashable, Sendable {
    /// Nowhere; what is stored under the request's key is removed.
    case disabled
    /// The answer is kept until the process ends.
    case session
    /// The answer is kept until it is removed, or evicted as the least recently used.
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
