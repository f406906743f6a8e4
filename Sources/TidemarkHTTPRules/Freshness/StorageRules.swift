import TidemarkModel

/// Which answers may be stored.
///
/// - Source: RFC 9111, section 3.
package enum StorageRules {
    /// The statuses that may be stored without explicit freshness.
    ///
    /// - Source: RFC 9110, section 15.1.
    package static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// Tells whether `standard` may store an answer.
    ///
    /// - Parameter isKeyed: Whether the caller named a key for the answer to a POST or PUT.
    package static func mayStore(_ answer: ResponseHead, to request: RequestHead, isKeyed: Bool) -> Bool {
        let directives = CacheDirectives(answer.fields)
        guard mayEverStore(answer, directives, to: request, isKeyed: isKeyed) else { return false }
        let isExplicit = directives.maxAge != nil || answer.fields.contains("expires") || directives.isPublic
        return heuristicStatuses.contains(answer.status) || isExplicit
    }

    /// Tells whether RestKit's options may store an answer: those of success.
    package static func mayStoreUnderOptions(_ answer: ResponseHead, to request: RequestHead, isKeyed: Bool) -> Bool {
        (200..<300).contains(answer.status)
            && mayEverStore(answer, CacheDirectives(answer.fields), to: request, isKeyed: isKeyed)
    }

    private static func mayEverStore(
        _ answer: ResponseHead, _ directives: CacheDirectives, to request: RequestHead, isKeyed: Bool
    ) -> Bool {
        let isStorableMethod = request.method == "GET" || request.method == "HEAD" || isKeyed
        guard isStorableMethod, answer.status >= 200, answer.status != 304, !directives.noStore,
            !CacheDirectives(request.fields).noStore, Vary(answer.fields) != .anything
        else { return false }
        if answer.status == 206 { return isStorablePart(answer, request) }
        return true
    }

    /// A part is stored when it says where it belongs, and can be matched with others.
    ///
    /// - Source: RFC 9111, section 3.3.
    private static func isStorablePart(_ answer: ResponseHead, _ request: RequestHead) -> Bool {
        guard request.method == "GET", let range = ContentRange.of(answer.fields), range.total != nil else {
            return false
        }
        return answer.fields.values("content-range").count == 1
    }

    /// Tells whether an answer to an unsafe request invalidates what is stored.
    ///
    /// - Source: RFC 9111, section 4.4.
    package static func invalidates(_ answer: ResponseHead, to request: RequestHead) -> Bool {
        !request.isSafe && (200..<400).contains(answer.status)
    }

    /// Returns the URLs whose stored answers an unsafe request invalidates: its own, and those of the same origin in
    /// `Location` and `Content-Location`.
    package static func invalidated(by answer: ResponseHead, to request: RequestHead) -> [HTTPURL] {
        guard invalidates(answer, to: request) else { return [] }
        var urls = [request.url]
        for name in ["location", "content-location"] {
            guard let value = answer.fields.first(name), let url = request.url.resolving(value),
                url.origin == request.url.origin, !urls.contains(url)
            else { continue }
            urls.append(url)
        }
        return urls
    }
}
