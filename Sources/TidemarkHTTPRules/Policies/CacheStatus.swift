/// How a request was handled, for the header `Cache-Status`.
///
/// - Source: RFC 9211, section 2.
package struct CacheStatus: Hashable, Sendable {
    /// Why a request was sent to the server.
    package enum Forward: String, Hashable, Sendable {
        /// The policy does not use the cache.
        case bypass
        /// The method cannot be served from the cache.
        case method
        /// No response of the URL is stored.
        case uriMiss = "uri-miss"
        /// Only responses to other values of the fields in `Vary` are stored.
        case varyMiss = "vary-miss"
        /// The request demanded it.
        case request
        /// The stored response is stale.
        case stale
        /// The stored response lacks the requested range.
        case partial
    }

    /// Why the server was asked; nil if it was not.
    package var forward: Forward?
    /// The status of the server's response, if another one is served.
    package var forwardStatus: Int?
    /// True if a stored response was served without asking the server.
    package var isHit = true
    /// True if the server's response was stored.
    package var isStored = false
    /// True if the request shared the exchange of another one.
    package var isCollapsed = false
    /// True if the stored response was served because the server's response was an error or failed to arrive.
    package var isFallback = false
    /// How long a served stored response stays fresh, in seconds; negative if it is stale.
    package var timeToLive: Int64?
    /// The code of a failed exchange, `error-status` or `only-if-cached`; nil if there is nothing to add.
    package var detail: String?

    /// Creates a status.
    package init(_ forward: Forward?) { self.forward = forward }

    /// The value of the header.
    package var text: String {
        var parts = ["tidemark"]
        if let forward {
            parts.append("fwd=\(forward.rawValue)")
            if let forwardStatus { parts.append("fwd-status=\(forwardStatus)") }
            if isStored { parts.append("stored") }
            if isCollapsed { parts.append("collapsed") }
        } else if isHit {
            parts.append("hit")
        }
        if let timeToLive { parts.append("ttl=\(timeToLive)") }
        if let detail { parts.append("detail=\(detail)") }
        return parts.joined(separator: "; ")
    }
}
