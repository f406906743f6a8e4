import TidemarkModel

/// Decides which responses may be stored.
///
/// - Source: RFC 9111, section 3.
package enum StorageRules {
    /// The statuses that may be stored without an explicit lifetime.
    ///
    /// - Source: RFC 9110, section 15.1.
    package static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// The final statuses whose requirements this cache knows and meets.
    ///
    /// - Source: RFC 9110, section 15; RFC 6585 (428, 429, 431), RFC 7725 (451).
    package static let understoodStatuses: Set<Int> = [
        200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 408,
        409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505,
    ]

    /// True if a response may be stored under `standard`.
    ///
    /// - Parameter isKeyed: True if the caller named a key for the response to a POST or PUT.
    package static func mayStore(_ answer: ResponseHead, to request: RequestHead, isKeyed: Bool) -> Bool {
        var directives = CacheDirectives(answer.fields)
        // `no-store` then addresses caches that do not know `must-understand` (RFC 9111, section 5.2.2.3).
        if directives.mustUnderstand, !directives.isMustUnderstandMalformed { directives.noStore = false }
        guard mayEverStore(answer, directives, to: request, isKeyed: isKeyed) else { return false }
        let isExplicit = directives.maxAge != nil || answer.fields.contains("expires") || directives.isPublic
        return heuristicStatuses.contains(answer.status) || isExplicit
    }

    /// True if a response may be stored under RestKit's options: it must be a success, and `no-store` holds even next
    /// to `must-understand`.
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
        if directives.mustUnderstand, !understoodStatuses.contains(answer.status) { return false }
        if answer.status == 206 { return isStorablePart(answer, request) }
        return true
    }

    /// True if a partial response names its place, so that it can be combined with others.
    ///
    /// - Source: RFC 9111, section 3.3.
    private static func isStorablePart(_ answer: ResponseHead, _ request: RequestHead) -> Bool {
        guard request.method == "GET", let range = ContentRange.of(answer.fields), range.total != nil else {
            return false
        }
        return answer.fields.values("content-range").count == 1
    }

    /// True if the fields of a response forbid storing or keeping it.
    package static func forbidsStoring(_ fields: HeaderFields, _ rules: CacheRules) -> Bool {
        let directives = CacheDirectives(fields)
        let isLifted = rules == .standard && directives.mustUnderstand && !directives.isMustUnderstandMalformed
        return directives.noStore && !isLifted
    }

    /// True if a response to an unsafe request invalidates stored responses.
    ///
    /// - Source: RFC 9111, section 4.4.
    package static func invalidates(_ answer: ResponseHead, to request: RequestHead) -> Bool {
        !request.isSafe && (200..<400).contains(answer.status)
    }

    /// Returns the URLs whose stored responses an unsafe request invalidates: its own, and those of the same origin in
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
