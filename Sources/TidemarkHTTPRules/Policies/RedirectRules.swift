import TidemarkModel

/// The next hop of a request that is sent elsewhere.
///
/// - Source: RFC 9110, section 15.4.
package enum RedirectRules {
    /// The largest number of hops.
    package static let hopCountMax = 10

    package enum Step: Hashable, Sendable {
        /// The answer is no redirect, or one without a place to go.
        case stay
        case follow(RequestHead, keepsBody: Bool)
        /// A redirect from https to http, or to a URL that cannot be used.
        case refuse
    }

    package static func step(_ answer: ResponseHead, to request: RequestHead) -> Step {
        guard [301, 302, 303, 307, 308].contains(answer.status), let location = answer.fields.first("location") else {
            return .stay
        }
        guard let url = request.url.resolving(location), url.isSecure || !request.url.isSecure else { return .refuse }
        var next = request
        next.url = url
        let becomesGet =
            answer.status == 303
            ? request.method != "HEAD" : [301, 302].contains(answer.status) && request.method == "POST"
        if becomesGet {
            next.method = "GET"
            for name in ["content-type", "content-length", "content-encoding", "content-language", "content-location"] {
                next.fields.remove(name)
            }
        }
        // Dropped for good: a later hop back to the first origin does not get them again.
        if url.origin != request.url.origin {
            for name in ["authorization", "cookie", "proxy-authorization"] { next.fields.remove(name) }
        }
        if url != request.url { StoredValidators.remove(from: &next) }
        next.fields.remove("host")
        return .follow(next, keepsBody: !becomesGet)
    }
}
