/// The value of `Cache-Status`: how an answer came about.
///
/// - Source: RFC 9211, section 2.
package struct CacheStatus: Hashable, Sendable {
    /// The reason why a request was forwarded.
    package enum Forward: String, Hashable, Sendable {
        case bypass
        case method
        case uriMiss = "uri-miss"
        case varyMiss = "vary-miss"
        case request
        case stale
        case partial
    }

    /// The reason for asking the server; nil: served without asking.
    package var forward: Forward?
    /// The status of the forwarded request's answer, where it is not the status that is served.
    package var forwardStatus: Int?
    /// Whether a stored answer was served, where nobody was asked.
    package var isHit = true
    package var isStored = false
    package var isCollapsed = false
    /// The seconds that a hit stays fresh; negative for a stale one.
    package var timeToLive: Int64?
    /// An error's code, or `invalidated` and the like: a token.
    package var detail: String?

    package init(_ forward: Forward?) { self.forward = forward }

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
