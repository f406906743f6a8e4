import TidemarkModel

/// The fate of the stored answer when another one came, and which of the two is served.
package enum AnswerOutcome: Hashable, Sendable {
    /// The stored answer is confirmed and served.
    case confirmed
    /// The stored answer is served in place of an error.
    case fallBack
    /// The new answer is served.
    case new(Storing)

    package enum Storing: Hashable, Sendable {
        /// The new answer takes the place of the stored answer.
        case store
        /// The new answer may not be stored, and the stored one is outdated.
        case remove
        /// The new answer says nothing of the stored one.
        case leave
    }
}

/// The rules for the answer to a question, and for a question without an answer.
package enum AnswerRules {
    /// The statuses that `stale-if-error` applies to.
    ///
    /// - Source: RFC 5861, section 4.
    package static let errorStatuses: Set<Int> = [500, 502, 503, 504]

    /// - Parameters:
    ///   - isConditional: Whether the stored validators were sent.
    ///   - isKeyed: Whether the caller named a key for the answer to a POST or PUT.
    package static func outcome(
        _ answer: ResponseHead, to request: RequestHead, over stored: StoredHead?, _ rules: CacheRules,
        isConditional: Bool, isKeyed: Bool, at now: Int64
    ) -> AnswerOutcome {
        if answer.status == 304, isConditional, let stored, confirms(answer, stored) { return .confirmed }
        if let stored, errorStatuses.contains(answer.status), servesOnError(stored, request, rules, at: now) {
            return .fallBack
        }
        return .new(storing(answer, to: request, rules, isKeyed: isKeyed))
    }

    /// Tells whether a 304 is about the stored answer: one with another strong validator is not.
    ///
    /// - Source: RFC 9111, section 4.3.4.
    private static func confirms(_ answer: ResponseHead, _ stored: StoredHead) -> Bool {
        guard let theirs = EntityTag.of(answer.fields), let ours = EntityTag.of(stored.head.fields) else { return true }
        return theirs.matchesWeakly(ours)
    }

    private static func storing(
        _ answer: ResponseHead, to request: RequestHead, _ rules: CacheRules, isKeyed: Bool
    ) -> AnswerOutcome.Storing {
        switch rules {
        case .standard:
            if StorageRules.mayStore(answer, to: request, isKeyed: isKeyed) { return .store }
        case .options(let options, _):
            if options.isEmpty { return .leave }
            if StorageRules.mayStoreUnderOptions(answer, to: request, isKeyed: isKeyed) { return .store }
        }
        guard request.isSafe || isKeyed else { return .leave }
        // A request that forbids storing does not speak of what is stored already.
        if CacheDirectives(request.fields).noStore { return .leave }
        return [200, 203, 204, 404, 410].contains(answer.status) ? .remove : .leave
    }

    /// Tells whether the stored answer is served in place of an error status.
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

    /// Tells whether the answer, or the request, allows it to be served in place of an error.
    ///
    /// - Source: RFC 5861, section 4.
    private static func allowsOnError(_ freshness: Freshness, _ request: CacheDirectives) -> Bool {
        guard let window = request.staleIfError ?? freshness.directives.staleIfError else { return false }
        return freshness.isStale(byAtMost: window)
    }

    /// Tells whether the stored answer is served because nobody answered.
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
            // RFC 9111, section 4.2.4: a cache that is disconnected may serve what is stale.
            case .offline: return true
            case .timedOut, .connectionLost, .tlsFailed, .truncated: return allowsOnError(freshness, directives)
            case .redirectFailed, .limitExceeded, .cancelled: return false
            }
        }
    }

    /// Tells whether the caller's own conditions say that it has the answer already: then it gets a 304.
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
