import TidemarkModel

/// Decides how redirects are followed.
///
/// - Source: RFC 9110, section 15.4.
package enum RedirectRules {
    /// The largest number of redirects that are followed: 10.
    package static let hopCountMax = 10

    /// What to do after a response.
    package enum Step: Hashable, Sendable {
        /// Return the response: it is not a redirect, or it has no `Location`.
        case stay
        /// Send another request, with or without the body.
        case follow(RequestHead, keepsBody: Bool)
        /// Fail: the redirect leads from https to http, or to an unusable URL.
        case refuse
    }

    /// Decides what to do after a response.
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
        // Removed for good: if a later redirect leads back to the first origin, they are not added again.
        if url.origin != request.url.origin {
            for name in ["authorization", "cookie", "proxy-authorization"] { next.fields.remove(name) }
        }
        if url != request.url { StoredValidators.remove(from: &next) }
        next.fields.remove("host")
        return .follow(next, keepsBody: !becomesGet)
    }
}
