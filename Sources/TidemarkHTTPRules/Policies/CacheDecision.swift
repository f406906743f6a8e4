import TidemarkModel

/// What to do with a request before the server is asked.
package enum CacheDecision: Hashable, Sendable {
    /// Serve the stored response. If `asks` is true, also revalidate it in the background (`stale-while-revalidate`).
    case serve(asks: Bool)
    /// Ask the server, with the stored validators if `isConditional` is true.
    case ask(CacheStatus.Forward, isConditional: Bool)
    /// Respond with 504: the request has `only-if-cached`, and nothing may be served.
    case gatewayTimeout

    /// Decides about a request.
    ///
    /// - Parameters:
    ///   - stored: The stored response that the request selects; nil if there is none. Ranges are checked by the
    ///     caller.
    ///   - miss: Why there is no stored response.
    package static func of(
        _ request: RequestHead, _ stored: StoredHead?, _ rules: CacheRules, miss: CacheStatus.Forward = .uriMiss,
        at now: Int64
    ) -> CacheDecision {
        if let stored { return of(request, Freshness(stored, at: now), stored, rules, at: now) }
        switch rules {
        case .standard:
            return CacheDirectives.request(request.fields).onlyIfCached
                ? .gatewayTimeout : .ask(miss, isConditional: false)
        case .options(let options, _): return .ask(options.isEmpty ? .bypass : miss, isConditional: false)
        }
    }

    /// Decides about a request for which there is a stored response.
    ///
    /// - Parameter freshness: The freshness of the stored response now.
    package static func of(
        _ request: RequestHead, _ freshness: Freshness, _ stored: StoredHead, _ rules: CacheRules, at now: Int64
    ) -> CacheDecision {
        switch rules {
        case .standard: standard(request, freshness)
        case .options(let options, let timeout): chosen(request, freshness, stored, options, timeout, at: now)
        }
    }

    // MARK: RFC 9111

    private static func standard(_ request: RequestHead, _ freshness: Freshness) -> CacheDecision {
        let directives = CacheDirectives.request(request.fields)
        switch standardUse(freshness, directives) {
        case .serve: return .serve(asks: false)
        case .serveAndAsk: return .serve(asks: !directives.onlyIfCached)
        case .ask(let forward):
            return directives.onlyIfCached ? .gatewayTimeout : .ask(forward, isConditional: true)
        }
    }

    private enum Use {
        case serve
        case serveAndAsk
        case ask(CacheStatus.Forward)
    }

    /// Decides whether a stored response is served under `standard`.
    ///
    /// - Source: RFC 9111, sections 4, 4.2.4 and 5.2.1; RFC 8246; RFC 5861, section 3.
    private static func standardUse(_ freshness: Freshness, _ request: CacheDirectives) -> Use {
        if freshness.directives.noCache { return .ask(.stale) }
        if request.noCache { return .ask(.request) }
        if freshness.isFresh {
            // RFC 8246: a reload, which has max-age=0, need not revalidate what never changes.
            if let maxAge = request.maxAge, freshness.isOlder(than: maxAge), !freshness.directives.immutable {
                return .ask(.request)
            }
            if let minFresh = request.minFresh, !freshness.isFresh(for: minFresh) { return .ask(.request) }
            return .serve
        }
        guard !freshness.directives.mustRevalidate else { return .ask(.stale) }
        if let maxAge = request.maxAge, freshness.isOlder(than: maxAge) { return .ask(.stale) }
        if request.minFresh != nil { return .ask(.stale) }
        if let maxStale = request.maxStale, freshness.isStale(byAtMost: maxStale) { return .serve }
        if let window = freshness.directives.staleWhileRevalidate, freshness.isStale(byAtMost: window) {
            return .serveAndAsk
        }
        return .ask(.stale)
    }

    // MARK: RestKit's options

    private static func chosen(
        _ request: RequestHead, _ freshness: Freshness, _ stored: StoredHead, _ options: CacheOptions,
        _ timeout: Int64?, at now: Int64
    ) -> CacheDecision {
        guard !options.isEmpty else { return .ask(.bypass, isConditional: false) }
        if options.contains(.enabled) { return .serve(asks: false) }
        if options.contains(.timeout), let timeout, !stored.isFromFuture(at: now),
            stored.sinceConfirmed(at: now) <= timeout
        {
            return .serve(asks: false)
        }
        let directives = CacheDirectives.request(request.fields)
        if options.contains(.maxAge), freshness.isFresh, case .serve = standardUse(freshness, directives) {
            return .serve(asks: false)
        }
        if options.contains(.staleWhileRevalidate), !freshness.directives.noCache, !freshness.directives.mustRevalidate,
            let window = freshness.directives.staleWhileRevalidate, freshness.isStale(byAtMost: window)
        {
            return .serve(asks: true)
        }
        return .ask(freshness.isFresh ? .request : .stale, isConditional: options.contains(.etag))
    }
}
