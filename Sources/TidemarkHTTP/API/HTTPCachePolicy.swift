import Tidemark
import TidemarkHTTPRules
import TidemarkModel

/// When the cache is used for a request: RestKit's options in any combination, or ``standard``.
///
/// - Source: Protocol/http.md, policies.
public struct HTTPCachePolicy: OptionSet, Hashable, Sendable {
    public let rawValue: UInt16

    public init(rawValue: UInt16) { self.rawValue = rawValue }

    /// Whenever something is stored, whatever its age.
    public static let enabled = HTTPCachePolicy(rawValue: CacheOptions.enabled.rawValue)
    /// When the stored answer is not older than the request's `timeout`.
    public static let timeout = HTTPCachePolicy(rawValue: CacheOptions.timeout.rawValue)
    /// While the stored answer is fresh by RFC 9111.
    public static let maxAge = HTTPCachePolicy(rawValue: CacheOptions.maxAge.rawValue)
    /// After a 304 to the stored validators.
    public static let etag = HTTPCachePolicy(rawValue: CacheOptions.etag.rawValue)
    /// When the host cannot be reached.
    public static let loadIfOffline = HTTPCachePolicy(rawValue: CacheOptions.loadIfOffline.rawValue)
    /// When the exchange fails otherwise.
    public static let loadOnError = HTTPCachePolicy(rawValue: CacheOptions.loadOnError.rawValue)
    /// On status 500, 502, 503 and 504.
    public static let staleIfError = HTTPCachePolicy(rawValue: CacheOptions.staleIfError.rawValue)
    /// Within the answer's `stale-while-revalidate`; a question is asked beside.
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

/// Where an answer is stored.
public enum HTTPStoragePolicy: String, Hashable, Sendable {
    /// Nowhere; what is stored under the request's key is removed.
    case disabled
    /// Until the process ends.
    case session
    /// Until it is removed, or goes as the least recently used.
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
