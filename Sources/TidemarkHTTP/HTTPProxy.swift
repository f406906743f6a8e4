import TidemarkHTTPRules
import TidemarkModel

/// The proxy that a transport uses.
///
/// The URL of a proxy may hold a credential, so it appears in no message.
///
/// - Source: Protocol/http.md, transports.
public enum HTTPProxy: Hashable, Sendable {
    /// No proxy; the environment is ignored.
    case none
    /// The proxy that the environment names in `http_proxy`, `https_proxy` or `all_proxy`. Hosts in `no_proxy` and this
    /// machine itself are reached directly.
    case system
    /// The proxy at this URL, such as `http://proxy.example:3128`, for every host; the environment is ignored.
    case url(String)

    /// Returns the proxy for one URL: none for this machine under ``system``.
    func choice(for url: HTTPURL) -> HTTPProxy {
        self == .system && HTTPProxy.isThisMachine(url.host.description) ? .none : self
    }

    private static func isThisMachine(_ host: String) -> Bool {
        host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]"
            || (host.hasPrefix("127.") && host.utf8.allSatisfy { $0 == 0x2E || 0x30...0x39 ~= $0 })
    }
}
