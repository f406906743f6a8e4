import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

/// Parts attached to a cache, with observers of their own.
@Suite(.pooled) struct WingTests {
    /// Watches one entity, and records each call with the entity as it was then.
    private class RecordingWing: CacheWing {
        private(set) var calls: [String] = []
        private var watched: (handle: ListHandle, subscription: SubscriptionID, sink: any ObserverSink)?
        private var changeCount = 0

        var observerCount: Int { watched == nil ? 0 : 1 }

        func watch(_ key: EntityKey, _ sink: any ObserverSink, in cache: isolated SyncCache) -> SubscriptionID? {
            guard let handle = cache.watch(key) else { return nil }
            let subscription = cache.newSubscription()
            watched = (handle, subscription, sink)
            return subscription
        }

        func note(_ change: ChangeRecord) {
            if case .entity(let change) = change, change.handle == watched?.handle { changeCount += 1 }
        }

        func distribute(in cache: isolated SyncCache) {
            let look = cache.withReading(of: "a") { $0.look(Lines.key("1")) }
            guard changeCount > 0, case .found(let entity) = look else { return }
            calls.append("\(changeCount) changed \(String(decoding: entity.resource, as: UTF8.self))")
            changeCount = 0
        }

        func catchUp(_ sink: any ObserverSink, isForced: Bool, in cache: isolated SyncCache) {
            if sink === watched?.sink { calls.append(isForced ? "catch up at once" : "catch up") }
        }

        func cancel(_ subscription: SubscriptionID, in cache: isolated SyncCache) -> Bool {
            guard let watched, watched.subscription == subscription else { return false }
            cache.stopWatching(watched.handle)
            self.watched = nil
            return true
        }

        func detach(_ sink: any ObserverSink, in cache: isolated SyncCache) {
            if let watched, watched.sink === sink { _ = cancel(watched.subscription, in: cache) }
        }

        func failFetches(_ reason: String, in cache: isolated SyncCache) async { calls.append(reason) }
    }

    private final class FirstWing: RecordingWing {}
    private final class SecondWing: RecordingWing {}

    private final class Sink: ObserverSink {
        func offer(_ notification: CacheNotification) -> Bool { true }
        func deliver(_ notification: CacheNotification) {}
    }

    private func fixture(observerCountMax: Int = 100) async throws -> QueryFixture {
        let fixture = try await QueryFixture.open(hasUpstream: false) { $0.limits.observerCountMax = observerCountMax }
        #expect(await fixture.cache.attach { FirstWing() })
        #expect(await fixture.cache.attach { SecondWing() })
        return fixture
    }

    private func calls<Wing: RecordingWing>(of type: Wing.Type, in fixture: QueryFixture) async -> [String] {
        await fixture.cache.withWing(type) { wing, _ in wing.calls }
    }

    private func watch<Wing: RecordingWing>(
        _ type: Wing.Type, _ sink: Sink, in fixture: QueryFixture
    ) async throws -> SubscriptionID {
        try #require(await fixture.cache.withWing(type) { $0.watch(Lines.key("1"), sink, in: $1) })
    }

    @Test func `each wing sees the state after each event of a batch`() async throws {
        let fixture = try await fixture()
        let sink = Sink()
        _ = try await watch(FirstWing.self, sink, in: fixture)
        _ = try await watch(SecondWing.self, sink, in: fixture)
        try await fixture.input.feed([Lines.change(1, id: "1"), Lines.change(2, id: "2"), Lines.change(3, id: "1")])
        let seen = [
            #"1 changed {"id":"1","n":1}"#,
            #"1 changed {"id":"1","n":3}"#,
        ]
        #expect(await calls(of: FirstWing.self, in: fixture) == seen)
        #expect(await calls(of: SecondWing.self, in: fixture) == seen)
    }

    @Test func `a wing without observers is told of nothing but the end`() async throws {
        let fixture = try await fixture()
        _ = try await watch(FirstWing.self, Sink(), in: fixture)
        try await fixture.input.feed([Lines.change(1, id: "1")])
        try await fixture.cache.close()
        #expect(await calls(of: FirstWing.self, in: fixture).last == "the cache is being closed")
        #expect(await calls(of: SecondWing.self, in: fixture) == ["the cache is being closed"])
    }

    @Test func `a subscription is cancelled by the wing that has it`() async throws {
        let fixture = try await fixture()
        let sink = Sink()
        let first = try await watch(FirstWing.self, sink, in: fixture)
        let second = try await watch(SecondWing.self, sink, in: fixture)
        #expect(first != second)
        try await fixture.cache.cancel(second)
        #expect(await fixture.cache.withWing(FirstWing.self) { wing, _ in wing.observerCount } == 1)
        #expect(await fixture.cache.withWing(SecondWing.self) { wing, _ in wing.observerCount } == 0)
        do {
            try await fixture.cache.cancel(second)
            Issue.record("a subscription was cancelled twice")
        } catch {
            #expect(error.code == .unknownSubscription)
        }
    }

    @Test func `a sink's room and its end reach every wing`() async throws {
        let fixture = try await fixture()
        let sink = Sink()
        _ = try await watch(FirstWing.self, sink, in: fixture)
        _ = try await watch(SecondWing.self, Sink(), in: fixture)
        await fixture.cache.resume(sink)
        await fixture.cache.deliverAll(to: sink)
        await fixture.cache.detach(sink)
        await fixture.cache.resume(sink)
        #expect(await calls(of: FirstWing.self, in: fixture) == ["catch up", "catch up at once"])
        #expect(await calls(of: SecondWing.self, in: fixture) == [])
        #expect(await fixture.cache.withWing(SecondWing.self) { wing, _ in wing.observerCount } == 1)
    }

    @Test func `observers of all wings count against one bound`() async throws {
        let fixture = try await fixture(observerCountMax: 2)
        _ = try await watch(FirstWing.self, Sink(), in: fixture)
        #expect(await fixture.cache.watcherRefusal == nil)
        _ = try await watch(SecondWing.self, Sink(), in: fixture)
        #expect(await fixture.cache.watcherRefusal?.code == .limitExceeded)
        #expect(await fixture.cache.statistics().observerCount == 2)
    }

    @Test func `a cache has one wing of each type`() async throws {
        let fixture = try await fixture()
        _ = try await watch(FirstWing.self, Sink(), in: fixture)
        #expect(await fixture.cache.attach { FirstWing() } == false)
        // The first one stays, with its observer.
        #expect(await fixture.cache.withWing(FirstWing.self) { wing, _ in wing.observerCount } == 1)
    }
}
