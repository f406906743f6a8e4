import Tidemark
import TidemarkFaultDisk
import TidemarkLiveViews
import TidemarkModel
import TidemarkTesting
import TidemarkViews

/// Views, which every world has: each process observes all of them, and two are defined in the first one.
extension Simulation {
    /// Views take half of the memory limit, of which some worlds have none.
    private static let viewLimits: ViewLimits = {
        var limits = ViewLimits()
        limits.byteCountMax = 64 << 20
        return limits
    }()

    /// All views of all libraries.
    static let viewPlaces = libraryNames.flatMap { library in
        SimulatedView.allCases.map { ViewSink.Place(library: library, view: $0) }
    }

    /// Gives the process the views that it lacks, and observes those that are not observed. A disk that fails may
    /// prevent that; the next call tries again.
    func followViews() throws {
        guard let process, !process.disk.isStopped, !executor.isLaneStalled else { return }
        if let outcome = viewsUnderway, outcome.value == nil { return }
        let sink = process.viewSink
        let places = Self.viewPlaces.filter { sink.followed($0) == nil }
        let defined = definedViews.union(sink.defined)
        let undefined = Self.viewPlaces.filter { $0.view.isDefined && !defined.contains($0) }
        let unread = Self.viewPlaces.filter { defined.contains($0) && sink.first($0) == nil }
        if sink.isAttached, places.isEmpty, undefined.isEmpty { return }
        viewsUnderway = try call { cache -> CacheError? in
            do throws(CacheError) {
                try await ViewEngine.attach(to: cache, limits: Self.viewLimits)
                sink.setAttached()
                for place in unread {
                    await Self.read(place, in: cache) { sink.noteFirst(place, $0) }
                }
                for place in undefined {
                    try await Self.define(place, in: cache)
                    sink.noteDefined(place)
                }
                for place in places { try await Self.observe(place, sink, in: cache) }
                return nil
            } catch {
                return error
            }
        }
        guard let error = viewsUnderway?.value ?? nil, !diskMayFail else { return }
        throw SimulationFailure("views cannot be followed on a good disk: \(error) (L10)")
    }

    private static func define(_ place: ViewSink.Place, in cache: SyncCache) async throws(CacheError) {
        let rule = try rule(of: place.view)
        let (name, library) = (ByteString(place.view.rawValue), ByteString(place.library))
        try await cache.withWing(ViewEngine.self) { (engine, cache) async throws(CacheError) in
            let number = try engine.beginDefinition(name, rule, in: library, cache: cache)
            try await engine.finish(definition: number, cache: cache)
        }
    }

    private static func observe(
        _ place: ViewSink.Place, _ sink: ViewSink, in cache: SyncCache
    ) async throws(CacheError) {
        let request = try request(place)
        let outcome = Outcome<CacheError?>()
        await cache.withWing(ViewEngine.self) { engine, cache in
            await engine.observe(request, sink: sink, in: cache) { result in
                switch result {
                case .success(let reply): sink.begin(place, reply)
                case .failure(let error): outcome.set(error)
                }
            }
        }
        if let error = outcome.value ?? nil { throw error }
    }

    private static func rule(of view: SimulatedView) throws(CacheError) -> ViewRule {
        do throws(ViewRuleError) {
            return try ViewRule(json: Array(view.rule.utf8))
        } catch {
            throw CacheError(error)
        }
    }

    private static func request(_ place: ViewSink.Place) throws(CacheError) -> ViewRequest {
        let view = place.view
        var request = ViewRequest(
            library: ByteString(place.library),
            view: view.isDefined ? .name(ByteString(view.rawValue)) : .rule(try rule(of: view)))
        request.wantsWholeRows = true
        request.params = view.params.map { Array($0.utf8) }
        return request
    }

    /// Reads all views, each with what its observer was told until then.
    static func views(
        _ sink: ViewSink, in cache: SyncCache
    ) async -> [(place: ViewSink.Place, outcome: Outcome<ShownView>)] {
        guard sink.isAttached else { return [] }
        var views: [(place: ViewSink.Place, outcome: Outcome<ShownView>)] = []
        for place in viewPlaces {
            let outcome = Outcome<ShownView>()
            views.append((place, outcome))
            await read(place, in: cache) { result in
                outcome.set(ShownView(result: result, followed: sink.followed(place)))
            }
        }
        return views
    }

    private static func read(
        _ place: ViewSink.Place, in cache: SyncCache,
        reply: @escaping @Sendable (Result<ViewReply, CacheError>) -> Void
    ) async {
        do throws(CacheError) {
            let request = try request(place)
            await cache.withWing(ViewEngine.self) { engine, cache in
                await engine.read(request, in: cache, reply: reply)
            }
        } catch {
            reply(.failure(error))
        }
    }

    // MARK: Checking

    /// Compares what observers of views were told with reads, and both with the entities.
    func checkViews(_ seen: Seen) throws {
        guard let process else { return }
        if let problem = process.viewSink.problem { throw problem }
        let entities = try simulatedEntities(seen)
        for (place, outcome) in seen.views {
            guard let shown = outcome.value else {
                if diskMayFail || process.disk.isStopped { continue }
                throw SimulationFailure("\(place.library) \(place.view) is never complete (L10)")
            }
            switch shown.result {
            case .success(let reply): try check(reply, shown.followed, place, seen, entities[place.library])
            case .failure(let error): try check(error, place)
            }
        }
    }

    private func check(_ error: CacheError, _ place: ViewSink.Place) throws {
        let isKnown = definedViews.contains(place) || process?.viewSink.defined.contains(place) == true
        if error.code == .notFound, place.view.isDefined, !isKnown { return }
        // A disk that was replaced has no definitions.
        if error.code == .notFound, mayLack { return }
        if error.code == .storageFailed, diskMayFail { return }
        throw SimulationFailure("\(place.library) \(place.view) cannot be read: \(error) (L5, L10)")
    }

    private func check(
        _ reply: ViewReply, _ followed: ViewSink.Followed?, _ place: ViewSink.Place, _ seen: Seen,
        _ entities: SimulatedEntities?
    ) throws {
        let name = "\(place.library) \(place.view)"
        let rows = reply.rows.map { String(decoding: $0, as: UTF8.self) }
        digest.mix("\(name) \(rows)")
        if let followed, followed.rows != reply.rows || followed.isPending != reply.status.isPending {
            throw SimulationFailure(
                "the observer of \(name) has \(followed.rows.map { String(decoding: $0, as: UTF8.self) }), "
                    + "pending \(followed.isPending), a read gives \(rows), \(reply.status.isPending) (L6)")
        }
        let status = seen.statuses[place.library]
        guard reply.status.asOf == status?.cursor else {
            throw SimulationFailure("\(name) is as of another position than the library's (L10)")
        }
        if status?.phase == .stale || status?.lost.isEmpty == false, !reply.status.isStale {
            throw SimulationFailure("\(name) lacks events and does not say so (L10)")
        }
        try compare(reply, place, entities)
    }

    /// The entities of the libraries of which all are known.
    private func simulatedEntities(_ seen: Seen) throws -> [String: SimulatedEntities] {
        var libraries: [String: SimulatedEntities] = [:]
        guard traits.entityCountMax == nil, !seen.views.isEmpty else { return libraries }
        for name in Self.libraryNames {
            let entities = seen.entities[name] ?? [:]
            guard entities.count == ids[name]?.count ?? 0 else { continue }
            libraries[name] = try SimulatedEntities(entities.compactMapValues(\.fields))
        }
        return libraries
    }

    /// Compares a result with a naive evaluation.
    private func compare(_ reply: ViewReply, _ place: ViewSink.Place, _ entities: SimulatedEntities?) throws {
        guard let entities else { return }
        let rows = reply.rows.map { String(decoding: $0, as: UTF8.self) }
        let wanted = try place.view.result(of: entities)
        guard rows == wanted.rows, reply.total == wanted.total else {
            throw SimulationFailure(
                "\(place.library) \(place.view) shows \(rows) of \(reply.total) instead of \(wanted.rows) of "
                    + "\(wanted.total) (L10)")
        }
    }

    /// Checks the stored results that a process answered with when it was opened. Nothing has changed since, unless
    /// events were missing.
    func checkFirstViews(_ seen: Seen) throws {
        guard let sink = process?.viewSink else { return }
        let entities = try simulatedEntities(seen)
        for place in Self.viewPlaces {
            guard case .success(let reply) = sink.first(place), !reply.status.isStale,
                reply.status.asOf == seen.statuses[place.library]?.cursor
            else { continue }
            try compare(reply, place, entities[place.library])
        }
    }

    /// Checks that the last process, whose disk is good, has every view and observes it.
    func checkAllViews() throws {
        guard try wait(atMost: Self.patience, until: { self.viewsUnderway?.value != nil }) else {
            throw SimulationFailure("views are never complete (L10)")
        }
        try followViews()
        try check(isThorough: true)
        for place in Self.viewPlaces where process?.viewSink.followed(place) == nil {
            throw SimulationFailure("\(place.library) \(place.view) was never shown to its observer (L10)")
        }
    }
}
