import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

/// Observers of the log of events.
@Suite(.pooled) struct EventLogTests {
    /// A sink that keeps what it is told of the log, and has room when the test says so.
    private final class LogSink: ObserverSink {
        private let state = Mutex<(hasRoom: Bool, told: [LogNotification])>((true, []))

        func setRoom(_ hasRoom: Bool) { state.withLock { $0.hasRoom = hasRoom } }

        var told: [LogNotification] { state.withLock { $0.told } }
        var eventCount: Int { told.reduce(0) { $0 + $1.events.count } }
        var missedCount: Int { told.reduce(0) { $0 + $1.missed } }

        func offer(_ notification: CacheNotification) -> Bool {
            state.withLock { state in
                guard state.hasRoom else { return false }
                if case .log(let news) = notification { state.told.append(news) }
                return true
            }
        }

        func deliver(_ notification: CacheNotification) {
            if case .log(let news) = notification { state.withLock { $0.told.append(news) } }
        }
    }

    private func observe(
        _ fixture: QueryFixture, _ sink: LogSink, _ filter: EventLog.Filter = EventLog.Filter()
    ) async throws -> SubscriptionID {
        let reply = Mutex<Result<SubscriptionID, CacheError>?>(nil)
        await fixture.cache.observeLog(filter, sink: sink) { result in reply.withLock { $0 = result } }
        return try #require(reply.withLock { $0 }).get()
    }

    @Test func `events past the bound of one step are counted as missed, and told with the next notification`()
        async throws
    {
        let fixture = try await QueryFixture.open(hasUpstream: false)
        let sink = LogSink()
        _ = try await observe(fixture, sink)
        let count = EventLog.eventCountMax + 40
        try await fixture.input.feed((1...count).map { Lines.change(Int64($0)) })
        #expect(sink.eventCount == EventLog.eventCountMax)
        #expect(sink.missedCount == 0)
        try await fixture.input.feed([Lines.change(Int64(count + 1))])
        #expect(sink.told.last?.missed == 40)
        #expect(sink.told.last?.events.map(\.sequence) == [EventSequence(Int64(count + 1))])
    }

    @Test func `a sink without room is told how many events it missed, and nothing twice`() async throws {
        let fixture = try await QueryFixture.open(hasUpstream: false)
        let sink = LogSink()
        _ = try await observe(fixture, sink)
        try await fixture.input.feed([Lines.change(1)])
        sink.setRoom(false)
        for sequence in 2...9 { try await fixture.input.feed([Lines.change(Int64(sequence))]) }
        #expect(sink.eventCount == 1)
        await fixture.cache.resume(sink)
        #expect(sink.missedCount == 0)
        sink.setRoom(true)
        await fixture.cache.resume(sink)
        #expect(sink.missedCount == 8)
        await fixture.cache.deliverAll(to: sink)
        try await fixture.input.feed([Lines.change(10)])
        #expect(sink.missedCount == 8)
        #expect(sink.told.flatMap(\.events).map(\.sequence) == [EventSequence(1), EventSequence(10)])
    }

    @Test func `an observer hears only of its types, bins and library`() async throws {
        let fixture = try await QueryFixture.open(hasUpstream: false)
        let (files, refused, others) = (LogSink(), LogSink(), LogSink())
        _ = try await observe(fixture, files, EventLog.Filter(types: ["file"], bins: [.applied, .duplicate]))
        _ = try await observe(fixture, refused, EventLog.Filter(bins: [.quarantined]))
        _ = try await observe(fixture, others, EventLog.Filter(library: "b"))
        try await fixture.input.feed([
            Lines.change(1, id: "x"), Lines.change(1, id: "x"), Lines.heartbeat(1), "{}",
            "{\"library_id\":\"b\",\"event\":{\"ResourceDeleted\":{\"resource_type\":\"folder\",\"resource_id\":\"y\"}}}",
        ])
        #expect(files.told.flatMap(\.events).map(\.bin) == [.applied, .duplicate])
        #expect(files.told.flatMap(\.events).map(\.keys) == [["file:x"], ["file:x"]])
        #expect(refused.told.flatMap(\.events).map(\.reason) == [.badShape])
        #expect(others.told.flatMap(\.events).map(\.keys) == [["folder:y"]])
    }

    @Test func `a cancelled observer hears of nothing, and a closed cache refuses one`() async throws {
        let fixture = try await QueryFixture.open(hasUpstream: false)
        let sink = LogSink()
        let subscription = try await observe(fixture, sink)
        try await fixture.cache.cancel(subscription)
        try await fixture.input.feed([Lines.change(1)])
        #expect(sink.told.isEmpty)
        await #expect(throws: CacheError.self) { try await fixture.cache.cancel(subscription) }
        _ = try await observe(fixture, sink)
        await fixture.cache.detach(sink)
        try await fixture.cache.close()
        await #expect(throws: CacheError.self) { _ = try await observe(fixture, sink) }
    }
}
