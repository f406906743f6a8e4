import TidemarkModel

/// The rules for storing answers.
///
/// - Source: RFC 9111, section 3.
package enum StorageRules {
    /// The statuses that may be stored without explicit freshness.
    ///
    /// - Source: RFC 9110, section 15.1.
    package static let heuristicStatuses: Set<Int> = [200, 203, 204, 206, 300, 301, 308, 404, 405, 410, 414, 501]

    /// The final statuses whose requirements this cache knows and follows.
    ///
    /// - Source: RFC 9110, section 15; RFC 6585 (428, 429, 431), RFC 7725 (451).
    package static let understoodStatuses: Set<Int> = [
        200, 201, 202, 203, 204, 205, 206, 300, 301, 302, 303, 307, 308, 400, 401, 402, 403, 404, 405, 406, 407, 408,
        409, 410, 411, 412, 413, 414, 415, 416, 417, 421, 422, 426, 428, 429, 431, 451, 500, 501, 502, 503, 504, 505,
    ]

    /// Tells whether `standard` may store an answer.
    ///
    /// - Parameter isKeyed: Whether the caller named a key for the answer to a POST or PUT.
    package static func mayStore(_ answer: ResponseHead, to request: RequestHead, isKeyed: Bool) -> Bool {
        var directives = CacheDirectives(answer.fields)
        // `no-store` is meant for caches that do not know `must-understand` (RFC 9111, section 5.2.2.3).
        if directives.mustUnderstand, !directives.isMustUnderstandMalformed { directives.noStore = false }
        guard mayEverStore(answer, directives, to: request, isKeyed: isKeyed) else { return false }
        let isExplicit = directives.maxAge != nil || answer.fields.contains("expires") || directives.isPublic
        return heuristicStatuses.contains(answer.status) || isExplicit
    }

    /// Tells whether RestKit's options may store an answer: those of success. `no-store` holds, also beside
    /// `must-understand`.
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

    /// A part is stored when it says where it belongs, and can be matched with others.
    ///
    /// - Source: RFC 9111, section 3.3.
    private static func isStorablePart(_ answer: ResponseHead, _ request: RequestHead) -> Bool {
        guard request.method == "GET", let range = ContentRange.of(answer.fields), range.total != nil else {
            return false
        }
        return answer.fields.values("content-range").count == 1
    }

    /// Tells whether the fields of an answer forbid that it is stored, or stays so.
    package static func forbidsStoring(_ fields: HeaderFields, _ rules: CacheRules) -> Bool {
        let directives = CacheDirectives(fields)
        let isLifted = rules == .standard && directives.mustUnderstand && !directives.isMustUnderstandMalformed
        return directives.noStore && !isLifted
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
