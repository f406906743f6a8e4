import TidemarkHTTPRules
import TidemarkModel

/// The proxy of a transport's exchanges.
///
/// A URL of a proxy may hold a credential: it appears in no message.
///
/// - Source: Protocol/http.md, transports.
public enum HTTPProxy: Hashable, Sendable {
    /// No proxy, whatever the environment says.
    case none
    /// The proxy that the environment names: `http_proxy`, `https_proxy`, `all_proxy`, and `no_proxy` for the hosts
    /// that are asked directly. This machine itself is never asked through a proxy.
    case system
    /// A proxy by its URL, such as `http://proxy.example:3128`, for every host; the environment is not asked.
    case url(String)

    /// The choice for one URL.
    func choice(for url: HTTPURL) -> HTTPProxy {
        self == .system && HTTPProxy.isThisMachine(url.host.description) ? .none : self
    }

    private static func isThisMachine(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
            || (host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 0x2E || 0x30...0x39 ~= $0 })
    }
}
