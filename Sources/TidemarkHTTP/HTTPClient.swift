import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// Serves requests from stored responses, the network, or both, as the rules say.
///
/// Equal requests at the same time share one exchange. A decision made between two reads of the disk is checked again
/// by the row's number: a row that was replaced meanwhile counts as missing. A response that was outdated on its way is
/// given to those who wait for it, and not stored (``HTTPQuestions``).
///
/// - Source: Protocol/http.md.
package actor HTTPClient {
    let cache: SyncCache
    let store: HTTPResponseStore
    let transport: any HTTPTransport
    /// The settings for requests that do not pass their own.
    package nonisolated let defaults: HTTPClientDefaults
    let clock: any CacheClock
    /// The clock for the time limits of requests. It runs in real time, as those of transports do; the clock for dates
    /// may stand still.
    let timer: any CacheClock
    /// The exchanges under way, by number. Bounded by ``exchangeCountMax``.
    var exchanges: [Int: RunningExchange] = [:]
    /// The exchanges that equal requests may join. Bounded by `exchanges`.
    var joinable: [ExchangeKey: Int] = [:]
    var nextExchange = 0
    var nextWaiter = 0
    /// The background tasks, which revalidate responses or retry requests. Bounded by the exchanges under way and the
    /// observers.
    var background: [Int: Task<Void, Never>] = [:]
    var nextTask = 0
    private var salt: [UInt8]?
    var observers = HTTPObservers()
    /// The observed requests that are retried until their host responds. Bounded by the observers.
    var returning: [ExchangeKey: Return] = [:]

    /// The largest number of exchanges under way: 1,000.
    static let exchangeCountMax = 1_000

    /// Creates a client.
    ///
    /// - Parameters:
    ///   - cache: The cache that stores the responses.
    ///   - transport: Performs the exchanges with servers.
    ///   - defaults: The settings for requests that do not pass their own.
    ///   - timer: The clock for the time limits of requests; tests pass their own.
    package init(
        _ cache: SyncCache, transport: any HTTPTransport, defaults: HTTPClientDefaults,
        timer: any CacheClock = SystemClock()
    ) {
        self.cache = cache
        self.timer = timer
        self.transport = transport
        self.defaults = defaults
        store = HTTPResponseStore(cache)
        clock = cache.clock
    }

    // MARK: Fetching

    /// Fetches a response from the cache or the server, as the rules of the request say.
    ///
    /// - Throws: ``CacheError``: the code of the exchange that failed, `limitExceeded`, `storageFailed`.
    package func fetch(_ fetch: HTTPFetch) async throws(CacheError) -> HTTPFetched {
        if let served = hitInMemory(fetch) { return served }
        guard fetch.followsRedirects, fetch.rules == .standard else { return try await fetchOnce(fetch) }
        // Under `standard` each hop is a request of its own, which the cache may serve.
        var hop = fetch
        hop.followsRedirects = false
        for _ in 0...RedirectRules.hopCountMax {
            var answer = try await fetchOnce(hop)
            switch RedirectRules.step(answer.head, to: hop.request) {
            case .stay:
                answer.url = hop.request.url
                return answer
            case .refuse: throw HTTPClient.error(HTTPClient.refusedRedirect)
            case .follow(let next, let keepsBody):
                hop.request = next
                if !keepsBody { hop.body = [] }
            }
        }
        throw HTTPClient.error(HTTPClient.tooManyHops)
    }

    /// Serves a fresh response from memory without suspending; nil if that is not possible.
    private func hitInMemory(_ fetch: HTTPFetch) -> HTTPFetched? {
        guard let salt, fetch.request.method == "GET", fetch.storage != .disabled, !fetch.rules.isNone,
            fetch.normalization == nil, !fetch.wantsFlow, !isConditionalWrite(fetch),
            let found = store.lookInMemory(fetch, key: fetch.key, salt: salt)?.found,
            found.answer.head.head.status == 200
        else { return nil }
        let now = clock.now()
        let freshness = found.freshness(at: now)
        guard
            case .serve(asks: false) = CacheDecision.of(
                fetch.request, freshness, found.answer.head, fetch.rules, at: now),
            RangeRules.outcome(fetch.request, found.answer.head) == .whole,
            fetch.answerByteCountMax.map({ found.record.byteCount <= $0 }) ?? true,
            let body = store.bodyInMemory(found, fetch, usedAt: now)
        else { return nil }
        var served = serve(found, .bytes(body), fetch, .whole, at: now, freshness)
        served.status.timeToLive = freshness.left
        return served
    }

    /// True if the request has conditions on a change, which only the server can judge.
    private func isConditionalWrite(_ fetch: HTTPFetch) -> Bool {
        fetch.request.fields.contains("if-match") || fetch.request.fields.contains("if-unmodified-since")
    }

    private func fetchOnce(_ fetch: HTTPFetch) async throws(CacheError) -> HTTPFetched {
        let salt = try await fileSalt()
        guard fetch.storage != .disabled, !fetch.rules.isNone else { return try await bypass(fetch, salt) }
        // Before the first lookup, so that any later removal outdates the response.
        let asked = begin(fetch, salt)
        // The cache cannot serve requests with conditions on a change, or with other methods.
        let isCacheable = fetch.isKeyed || fetch.request.method == "GET" || fetch.request.method == "HEAD"
        guard isCacheable, !isConditionalWrite(fetch) else {
            return try await ask(
                Question(fetch: fetch, forward: isCacheable ? .request : .method, salt: salt, asked: asked),
                lookup: nil)
        }
        var lookup = try await store.look(fetch, key: fetch.key, salt: salt)
        if fetch.request.method == "HEAD", lookup.found == nil {
            // A stored response to GET has the head that HEAD asks for.
            var ofGet = fetch
            ofGet.request.method = "GET"
            let other = try await store.look(ofGet, key: ofGet.key, salt: salt)
            if let found = other.found, found.answer.head.head.status != 206,
                case .serve = CacheDecision.of(fetch.request, found.answer.head, fetch.rules, at: clock.now())
            {
                lookup.found = found
            }
        }
        return try await decide(fetch, lookup, salt, asked)
    }

    /// Registers a request in the order of all requests and removals, which decides whether its response is stored.
    func begin(_ fetch: HTTPFetch, _ salt: [UInt8]) -> HTTPQuestion {
        let fields = fetch.request.fields
        return store.questions.begin(
            HTTPAsked(
                library: fetch.library, url: fetch.request.url.text, key: fetch.key,
                isSession: fetch.storage == .session, credentials: Variant.credentials(fields, salt: salt),
                values: { Variant.values(fields, names: $0, salt: salt) }))
    }

    private func decide(
        _ fetch: HTTPFetch, _ lookup: HTTPResponseStore.Lookup, _ salt: [UInt8], _ asked: HTTPQuestion
    ) async throws(CacheError) -> HTTPFetched {
        let now = clock.now()
        guard let found = lookup.found else {
            switch CacheDecision.of(fetch.request, nil, fetch.rules, miss: lookup.miss, at: now) {
            case .gatewayTimeout: return gatewayTimeout(fetch)
            case .ask(let forward, _):
                return try await ask(
                    Question(fetch: fetch, forward: forward, salt: salt, asked: asked), lookup: lookup)
            case .serve:
                return try await ask(
                    Question(fetch: fetch, forward: lookup.miss, salt: salt, asked: asked), lookup: lookup)
            }
        }
        var question = Question(fetch: fetch, forward: .partial, salt: salt, asked: asked)
        let range = RangeRules.outcome(fetch.request, found.answer.head)
        let lacksRange = range == .lacking
        switch CacheDecision.of(fetch.request, found.answer.head, fetch.rules, at: now) {
        case .gatewayTimeout: return gatewayTimeout(fetch)
        case .serve(let asks) where !lacksRange:
            guard let body = try await bodyOf(found, fetch, range, usedAt: now) else {
                // A damaged body counts as missing: ask for the whole response.
                question.forward = .uriMiss
                var empty = lookup
                empty.found = nil
                return try await ask(question, lookup: empty)
            }
            if try await needsFreshEntities(fetch, found) {
                question.forward = .stale
                question.isConditional = true
                return try await ask(question, lookup: lookup)
            }
            var served = serve(found, body, fetch, range, at: now)
            served.status.timeToLive = found.freshness(at: now).left
            served.normalized = await normalized(found, fetch)
            if asks { askBeside(fetch, lookup, salt) }
            return served
        case .serve: return try await ask(question, lookup: lookup)
        case .ask(let forward, let isConditional):
            question.forward = lacksRange ? .partial : forward
            question.isConditional = isConditional && !lacksRange
            return try await ask(question, lookup: lookup)
        }
    }

    /// The part of a stored body that a request gets.
    enum ServedBody: Sendable {
        case bytes([UInt8])
        case flow(HTTPBodyFlow)
    }

    /// Reads the part of a stored body that a request gets; nil if the body is damaged.
    ///
    /// - Throws: ``CacheError`` `limitExceeded` if the caller cannot take the body.
    func bodyOf(
        _ found: HTTPResponseStore.Found, _ fetch: HTTPFetch, _ range: RangeRules.Outcome, usedAt: Int64?
    ) async throws(CacheError) -> ServedBody? {
        let whole = 0..<found.record.byteCount
        let bounds: Range<Int64>
        switch range {
        case .unsatisfiable: return .bytes([])
        case .part(let part, _): bounds = part
        case .whole, .parts, .lacking: bounds = whole
        }
        if fetch.request.method == "HEAD" || bounds.isEmpty { return .bytes([]) }
        if fetch.wantsFlow, bounds.count > HTTPBodyDraft.chunkByteCount, !range.hasParts {
            return try await store.hold(found, usedAt: usedAt).map { .flow(HeldBody($0, bounds, store).flow) }
        }
        try HTTPClient.checkCaller(Int64(bounds.count), fetch)
        return try await store.body(found, bounds: bounds == whole ? nil : bounds, usedAt: usedAt).map { .bytes($0) }
    }

    func fileSalt() async throws(CacheError) -> [UInt8] {
        if let salt { return salt }
        let made = try await store.salt()
        salt = made
        return made
    }

    // MARK: Serving

    /// Returns the stored response in the form that the caller gets.
    ///
    /// - Parameter isConfirmed: True if the server has just confirmed it. Otherwise the fields that `no-cache` names
    ///   are left out.
    func serve(
        _ found: HTTPResponseStore.Found, _ body: ServedBody, _ fetch: HTTPFetch, _ range: RangeRules.Outcome,
        at now: Int64, _ known: Freshness? = nil, isConfirmed: Bool = false
    ) -> HTTPFetched {
        let stored = found.answer.head
        let freshness = known ?? found.freshness(at: now)
        var head = stored.head
        if !isConfirmed { head.fields = head.fields.removing(freshness.directives.noCacheFields) }
        head.fields.set("Age", "\(freshness.age)")
        var served = HTTPFetched(
            head: head, body: [], url: found.source ?? fetch.request.url, status: CacheStatus(nil))
        switch body {
        case .bytes(let bytes): served.body = bytes
        case .flow(let flow): served.flow = flow
        }
        served.isFromCache = true
        served.isStale = !freshness.isFresh
        served.age = fetch.rules == .standard ? freshness.age : stored.sinceConfirmed(at: now)
        served.isStored = true
        apply(range, to: &served, boundary: found.answer.variant.boundary(found.record.number))
        return forCaller(served, fetch)
    }

    private func apply(_ range: RangeRules.Outcome, to served: inout HTTPFetched, boundary: String) {
        switch range {
        case .whole, .lacking: return
        case .part(let bounds, let place):
            served.head.status = 206
            served.head.reason = "Partial Content"
            served.head.fields.set("Content-Range", place.text)
            served.head.fields.set("Content-Length", "\(bounds.count)")
        case .parts(let parts):
            guard parts.allSatisfy({ $0.bounds.upperBound <= served.body.count }) else { return }
            let message = RangeMessage(parts, of: served.head, boundary: boundary)
            served.body = message.body(served.body)
            served.head.status = 206
            served.head.reason = "Partial Content"
            served.head.fields.set("Content-Type", message.type)
            served.head.fields.set("Content-Length", "\(served.body.count)")
        case .unsatisfiable(let total):
            served.head.status = 416
            served.head.reason = "Range Not Satisfiable"
            served.head.fields.set("Content-Range", "bytes */\(total)")
            served.head.fields.set("Content-Length", "0")
        }
    }

    /// Applies the caller's own conditions: if the caller already has the response, it becomes a 304.
    func forCaller(_ served: HTTPFetched, _ fetch: HTTPFetch) -> HTTPFetched {
        guard fetch.request.hasOwnValidators, ResponseRules.isKnownToCaller(fetch.request, served.head) else {
            return served
        }
        var known = served
        known.head.status = 304
        known.head.reason = "Not Modified"
        known.body = []
        known.flow = nil
        for name in ["content-length", "content-type", "content-encoding"] { known.head.fields.remove(name) }
        return known
    }

    private func gatewayTimeout(_ fetch: HTTPFetch) -> HTTPFetched {
        var head = ResponseHead(status: 504, reason: "Gateway Timeout", fields: HeaderFields())
        head.fields.append("Content-Length", "0")
        var status = CacheStatus(nil)
        status.isHit = false
        status.detail = "only-if-cached"
        return HTTPFetched(head: head, body: [], url: fetch.request.url, status: status)
    }

    /// True if the caller wants fresh entities and an event has written one of the body's entities since the response
    /// was stored.
    private func needsFreshEntities(
        _ fetch: HTTPFetch, _ found: HTTPResponseStore.Found
    ) async throws(CacheError) -> Bool {
        guard let normalization = fetch.normalization, normalization.wantsFreshEntities,
            let body = try await store.body(found, usedAt: nil)
        else { return false }
        let asOf = found.answer.normalized?.asOf
        for key in normalization.entities(body, library: fetch.library) {
            let read = try await cache.read(EntityRequest(key))
            if read.miss == .deleted { return true }
            guard let sequence = read.sequence else { continue }
            if asOf.map({ sequence > $0 }) ?? true { return true }
        }
        return false
    }

    static func error(_ error: ExchangeError) -> CacheError {
        CacheError(CacheError.Code(rawValue: error.code.rawValue) ?? .upstreamFailed, error.message)
    }

    static let refusedRedirect = ExchangeError(
        .redirectFailed, "the answer sends the request to a place that is refused: http after https, or no URL of http")
    static let tooManyHops = ExchangeError(
        .redirectFailed, "the request was sent elsewhere more than \(RedirectRules.hopCountMax) times")
}
