import Testing
import Tidemark
import TidemarkLiveViews
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTesting
import TidemarkViews
import ViewOracle

/// A cache with views over it. What observers fold, what reads return and what the naive model computes from the
/// cache's entities can be compared after every step.
struct LiveWorld {
    struct Observer {
        let subscription: SubscriptionID
        let rule: String
        let params: String
        /// The name of the defined view that is observed; nil for a rule.
        let name: String?
        var offset: Int?
        var limit: Int?
    }

    let cache: SyncCache
    let sink = ViewSink()
    var observers: [Observer] = []
    /// The rules of the defined views by name.
    var definitions: [String: String] = [:]

    /// Opens a world over a journal.
    static func open(
        _ journal: any Journal, _ configuration: CacheConfiguration = CacheConfiguration(), clock: any CacheClock
    ) async throws -> LiveWorld {
        let cache = try await SyncCache.open(configuration: configuration, journal: journal, clock: clock)
        var limits = ViewLimits()
        // Half of a few hundred bytes would be too little for any view.
        limits.byteCountMax = 64 << 20
        try await ViewEngine.attach(to: cache, limits: limits)
        return LiveWorld(cache: cache)
    }

    // MARK: Views

    func request(
        _ view: RequestedView, _ params: String = "{}", offset: Int? = nil, limit: Int? = nil
    ) -> ViewRequest {
        var request = ViewRequest(library: "", view: view)
        request.params = Array(params.utf8)
        (request.offset, request.limit) = (offset, limit)
        request.wantsKeys = true
        return request
    }

    func read(_ request: ViewRequest) async throws -> ViewReply {
        try await withCheckedContinuation { continuation in
            Task {
                await cache.withWing(ViewEngine.self) { engine, cache in
                    await engine.read(request, in: cache) { continuation.resume(returning: $0) }
                }
            }
        }.get()
    }

    mutating func observe(
        rule: String, name: String? = nil, params: String = "{}", offset: Int? = nil, limit: Int? = nil
    ) async throws -> SubscriptionID {
        let view = try name.map { .name(ByteString($0)) } ?? RequestedView.rule(ViewRule(json: Array(rule.utf8)))
        let request = request(view, params, offset: offset, limit: limit)
        let (sink, cache) = (sink, cache)
        let reply = try await withCheckedContinuation { continuation in
            Task {
                await cache.withWing(ViewEngine.self) { engine, cache in
                    await engine.observe(request, sink: sink, in: cache) { result in
                        // In this step, so that no notification is missed.
                        if case .success(let reply) = result, let number = reply.subscription {
                            sink.begin(number, LiveWorld.shown(reply))
                        }
                        continuation.resume(returning: result)
                    }
                }
            }
        }.get()
        let subscription = try #require(reply.subscription)
        observers.append(
            Observer(
                subscription: subscription, rule: rule, params: params, name: name, offset: offset, limit: limit))
        return subscription
    }

    mutating func define(_ name: String, _ rule: String) async throws {
        let checked = try ViewRule(json: Array(rule.utf8))
        try await cache.withWing(ViewEngine.self) { (engine, cache) throws(CacheError) in
            let number = try engine.beginDefinition(ByteString(name), checked, in: "", cache: cache)
            try await engine.finish(definition: number, cache: cache)
        }
        definitions[name] = rule
        forgetEnded()
    }

    mutating func drop(_ name: String) async throws {
        let changes = try await cache.withWing(ViewEngine.self) { (engine, cache) throws(CacheError) in
            try engine.drop(ByteString(name), in: "", cache: cache)
        }
        try await cache.write(changes)
        definitions[name] = nil
        forgetEnded()
    }

    mutating func move(_ place: Int, offset: Int?, limit: Int?) async throws {
        let subscription = observers[place].subscription
        try await cache.withWing(ViewEngine.self) { (engine, cache) throws(CacheError) in
            try await engine.move(subscription, offset: offset, limit: limit, in: cache)
        }
        observers[place].offset = offset ?? observers[place].offset
        observers[place].limit = limit ?? observers[place].limit
    }

    /// Removes the observers that were told their end.
    mutating func forgetEnded() { observers.removeAll { sink.reason($0.subscription) != nil } }

    private static func shown(_ reply: ViewReply) -> ViewSink.Shown {
        ViewSink.Shown(
            rows: .array(reply.rows.map { (try? ReferenceJSONParser.parse($0)) ?? .null }),
            total: nil, stale: reply.status.isStale, pending: reply.status.isPending, missing: reply.missing,
            asOf: .null)
    }

    // MARK: Comparison

    /// Every entity that the walk may make, as the cache has it.
    func entities() async throws -> (present: [NaiveKey: ReferenceJSON], deleted: Set<NaiveKey>) {
        var present: [NaiveKey: ReferenceJSON] = [:]
        var deleted: Set<NaiveKey> = []
        for type in RandomEntities.types {
            for id in RandomEntities.ids {
                switch try await cache.entity(EntityKey(type: ByteString(type), id: ByteString(id))) {
                case .found(let resource):
                    present[NaiveKey(type: type, id: id)] = try ReferenceJSONParser.parse(resource.bytes)
                case .missing(.deleted): deleted.insert(NaiveKey(type: type, id: id))
                case .missing: break
                }
            }
        }
        return (present, deleted)
    }

    /// Compares what observers have folded with reads, and both with the naive model.
    func check(_ comment: @autoclosure () -> String) async throws {
        // Otherwise an eviction may come between the two reads.
        try await cache.enforceLimits()
        let (present, deleted) = try await entities()
        for observer in observers {
            let name = observer.name
            let rule = name.flatMap { definitions[$0] } ?? observer.rule
            let view = try name.map { .name(ByteString($0)) } ?? RequestedView.rule(ViewRule(json: Array(rule.utf8)))
            let reply = try await read(request(view, observer.params, offset: observer.offset, limit: observer.limit))
            let shown = try #require(sink.shown(observer.subscription), "\(comment())")
            let rows = ReferenceJSON.array(try reply.rows.map { try ReferenceJSONParser.parse($0) })
            let isEqual = NaivePatch.plain(shown.rows) == NaivePatch.plain(rows)
            #expect(isEqual, "folded \(shown.rows) and read \(rows): \(comment())")
            #expect(shown.missing == reply.missing, "missing told and read: \(comment())")
            #expect(shown.pending == reply.status.isPending, "pending told and read: \(comment())")
            try compare(reply, rule, observer.params, observer.offset, observer.limit, present, deleted, comment())
        }
        for (name, rule) in definitions where try ViewRule(json: Array(rule.utf8)).parameters.isEmpty {
            let reply = try await read(request(.name(ByteString(name))))
            try compare(reply, rule, "{}", nil, nil, present, deleted, "defined, \(comment())")
        }
    }

    private func compare(
        _ reply: ViewReply, _ rule: String, _ params: String, _ offset: Int?, _ limit: Int?,
        _ present: [NaiveKey: ReferenceJSON], _ deleted: Set<NaiveKey>, _ comment: String
    ) throws {
        let given = try ReferenceJSONParser.parse(Array(params.utf8)).members ?? []
        let parameters = Dictionary(
            given.map { (String(decoding: $0.key.unescaped, as: UTF8.self), $0.value) }
        ) { $1 }
        var model = NaiveView(
            try ReferenceJSONParser.parse(Array(rule.utf8)), parameters, present, deleted: deleted)
        let wanted = model.result(offset: offset, limit: limit)
        let rows = ReferenceJSON.array(try reply.rows.map { try ReferenceJSONParser.parse($0) })
        #expect(
            NaivePatch.plain(rows).description == NaivePatch.plain(.array(wanted.rows)).description,
            "rows and model: \(comment)")
        #expect(reply.total == wanted.total, "total and model: \(comment)")
        #expect(reply.missing == wanted.missing, "missing and model: \(comment)")
    }
}
