import TidemarkModel

/// What a response does to the stored one, and which of the two is served.
package enum ResponseOutcome: Hashable, Sendable {
    /// The stored response is confirmed and served.
    case confirmed
    /// The stored response is served in place of an error.
    case fallBack
    /// The new response is served.
    case new(Storing)

    /// What a new response does to the stored one.
    package enum Storing: Hashable, Sendable {
        /// The new response replaces the stored one.
        case store
        /// The new response may not be stored, and the stored one is outdated.
        case remove
        /// The stored response stays.
        case leave
    }
}

/// Decides what happens with a server's response, or when there is none.
package enum ResponseRules {
    /// The statuses to which `stale-if-error` applies.
    ///
    /// - Source: RFC 5861, section 4.
    package static let errorStatuses: Set<Int> = [500, 502, 503, 504]

    /// Decides what a response does to the stored one.
    ///
    /// - Parameters:
    ///   - isConditional: True if the stored validators were sent.
    ///   - isKeyed: True if the caller named a key for the response to a POST or PUT.
    package static func outcome(
        _ answer: ResponseHead, to request: RequestHead, over stored: StoredHead?, _ rules: CacheRules,
        isConditional: Bool, isKeyed: Bool, at now: Int64
    ) -> ResponseOutcome {
        if answer.status == 304, isConditional, let stored, confirms(answer, stored) { return .confirmed }
        if let stored, errorStatuses.contains(answer.status), servesOnError(stored, request, rules, at: now) {
            return .fallBack
        }
        return .new(storing(answer, to: request, rules, isKeyed: isKeyed))
    }

    /// True if a 304 is about the stored response. It is not if both have an entity tag and the tags differ.
    ///
    /// - Source: RFC 9111, section 4.3.4.
    private static func confirms(_ answer: ResponseHead, _ stored: StoredHead) -> Bool {
        guard let theirs = EntityTag.of(answer.fields), let ours = EntityTag.of(stored.head.fields) else { return true }
        return theirs.matchesWeakly(ours)
    }

    private static func storing(
        _ answer: ResponseHead, to request: RequestHead, _ rules: CacheRules, isKeyed: Bool
    ) -> ResponseOutcome.Storing {
        switch rules {
        case .standard:
            if StorageRules.mayStore(answer, to: request, isKeyed: isKeyed) { return .store }
        case .options(let options, _):
            if options.isEmpty { return .leave }
            if StorageRules.mayStoreUnderOptions(answer, to: request, isKeyed: isKeyed) { return .store }
        }
        guard request.isSafe || isKeyed else { return .leave }
        // A request that forbids storing says nothing about the stored response.
        if CacheDirectives(request.fields).noStore { return .leave }
        return [200, 203, 204, 404, 410].contains(answer.status) ? .remove : .leave
    }

    /// True if the stored response is served in place of an error status.
    private static func servesOnError(
        _ stored: StoredHead, _ request: RequestHead, _ rules: CacheRules, at now: Int64
    ) -> Bool {
        let freshness = Freshness(stored, at: now)
        let isForbidden = freshness.directives.noCache || freshness.directives.mustRevalidate
        switch rules {
        case .standard: return !isForbidden && allowsOnError(freshness, CacheDirectives.request(request.fields))
        case .options(let options, _):
            if options.contains(.staleIfError) { return !isForbidden }
            return options.contains(.loadOnError) && !isForbidden && allowsOnError(freshness, CacheDirectives())
        }
    }

    /// True if `stale-if-error` of the request or the stored response allows serving it in place of an error.
    ///
    /// - Source: RFC 5861, section 4.
    private static func allowsOnError(_ freshness: Freshness, _ request: CacheDirectives) -> Bool {
        guard let window = request.staleIfError ?? freshness.directives.staleIfError else { return false }
        return freshness.isStale(byAtMost: window)
    }

    /// True if the stored response is served because the exchange failed.
    package static func fallsBack(
        on code: ExchangeCode, to request: RequestHead, _ stored: StoredHead, _ rules: CacheRules, at now: Int64
    ) -> Bool {
        switch rules {
        case .options(let options, _):
            switch code {
            case .offline: return options.contains(.loadIfOffline)
            case .timedOut, .connectionLost, .tlsFailed, .truncated: return options.contains(.loadOnError)
            case .redirectFailed, .limitExceeded, .cancelled: return false
            }
        case .standard:
            let freshness = Freshness(stored, at: now)
            let directives = CacheDirectives.request(request.fields)
            guard !freshness.directives.noCache, !freshness.directives.mustRevalidate, !directives.noCache else {
                return false
            }
            switch code {
            // RFC 9111, section 4.2.4: a disconnected cache may serve stale responses.
            case .offline: return true
            case .timedOut, .connectionLost, .tlsFailed, .truncated: return allowsOnError(freshness, directives)
            case .redirectFailed, .limitExceeded, .cancelled: return false
            }
        }
    }

    /// True if the caller's own conditions show that it already has the response, so that it gets a 304.
    ///
    /// - Source: RFC 9110, sections 13.1.2, 13.1.3 and 13.2.2; RFC 9111, section 4.3.2.
    package static func isKnownToCaller(_ request: RequestHead, _ answer: ResponseHead) -> Bool {
        guard request.method == "GET" || request.method == "HEAD", answer.status == 200 else { return false }
        if let tags = request.fields.combined("if-none-match") {
            return EntityTag.list(tags, matchesWeakly: EntityTag.of(answer.fields))
        }
        guard let since = request.fields.first("if-modified-since").flatMap({ HTTPDate.parse($0) }) else {
            return false
        }
        if let modified = answer.fields.first("last-modified").flatMap({ HTTPDate.parse($0) }) {
            return modified <= since
        }
        return Freshness.date(answer).map { $0 <= since } ?? false
    }
}
