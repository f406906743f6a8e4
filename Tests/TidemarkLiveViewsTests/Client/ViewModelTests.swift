import Observation
import TestTraits
import Testing
import Tidemark
import TidemarkLiveViews
import TidemarkTesting

@MainActor @Suite(.pooled) struct ViewModelTests {
    private typealias Model = ViewModel<Tracker.Row>

    /// Returns as soon as the result of `read` has changed, or the task is cancelled, as a time limit does.
    private func change(of read: @MainActor @escaping () -> Void) async {
        let (changes, continuation) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking(read) { continuation.finish() }
        for await _ in changes {}
        await Task.yield()
    }

    private func isLoaded(_ model: Model) -> Bool {
        if case .loaded = model.phase { true } else { false }
    }

    private func load(_ model: Model) async {
        model.start()
        while !isLoaded(model), !Task.isCancelled { await change { _ = model.phase } }
    }

    private func observerCount(_ cache: SyncCache) async -> Int {
        await cache.withWing(ViewEngine.self) { engine, _ in engine.observerCount }
    }

    @Test func `the rows follow the view until the model stops`() async throws {
        let cache = try await SyncCache.inMemory()
        try await cache.apply(Tracker.project(1, "Sea"), Tracker.issue(1, "salt"))
        let model = Model(try cache.observe(Tracker.board().total(), as: Tracker.Row.self))
        #expect(!isLoaded(model) && !model.isRunning && model.rows.isEmpty)
        model.start()
        await load(model)
        #expect(model.rows.map(\.title) == ["salt"] && model.total == 1 && model.missing == 0)
        #expect(!model.isStale && !model.isPending && model.isRunning)
        try await cache.apply(Tracker.issue(2, "sand"))
        while model.rows.count < 2, !Task.isCancelled { await change { _ = model.rows } }
        #expect(model.rows.map(\.title) == ["salt", "sand"])
        try await model.move(offset: 1, limit: 1)
        while model.rows.count > 1, !Task.isCancelled { await change { _ = model.rows } }
        #expect(model.rows.map(\.title) == ["sand"] && model.total == 2)
        model.stop()
        while await observerCount(cache) > 0 { await Task.yield() }
        #expect(model.rows.map(\.title) == ["sand"] && !model.isRunning)
        try await cache.close()
    }

    @Test func `a change of a number alone does not touch the rows`() async throws {
        let cache = try await SyncCache.inMemory()
        try await cache.apply(Tracker.project(1, "Sea"), Tracker.issue(1, "salt"))
        let model = Model(try cache.observe(Tracker.board(), as: Tracker.Row.self))
        await load(model)
        let (changes, isChanged) = AsyncStream.makeStream(of: Void.self)
        withObservationTracking({ _ = model.rows }) { isChanged.yield() }
        try await cache.apply(Tracker.issue(2, "fog", project: 9))
        while model.missing == 0, !Task.isCancelled { await change { _ = model.missing } }
        isChanged.finish()
        var count = 0
        for await _ in changes { count += 1 }
        #expect(count == 0)
        try await cache.close()
    }

    @Test func `the end of a view is a phase, and a new start tries again`() async throws {
        let cache = try await SyncCache.inMemory()
        try await cache.define("board", Tracker.board())
        let model = Model(try cache.observe(.named("board"), as: Tracker.Row.self))
        await load(model)
        try await cache.drop("board")
        while isLoaded(model), !Task.isCancelled { await change { _ = model.phase } }
        guard case .ended(.dropped) = model.phase else {
            Issue.record("the phase is \(model.phase)")
            return
        }
        #expect(!model.isRunning)
        model.start()
        await change { _ = model.phase }
        guard case .failed(let error) = model.phase else {
            Issue.record("the phase is \(model.phase)")
            return
        }
        #expect((error as? CacheError)?.code == .notFound && !model.isRunning)
        try await cache.define("board", Tracker.board())
        await load(model)
        #expect(model.isRunning)
        try await cache.close()
    }

    @Test func `releasing a model ends its use`() async throws {
        let cache = try await SyncCache.inMemory()
        var model: Model? = Model(try cache.observe(Tracker.board(), as: Tracker.Row.self))
        if let model { await load(model) }
        #expect(await observerCount(cache) == 1)
        model = nil
        while await observerCount(cache) > 0 { await Task.yield() }
        try await cache.close()
    }
}
