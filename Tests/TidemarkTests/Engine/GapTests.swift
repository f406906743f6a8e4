import Logging
import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// Windows, questions and answers, with a clock and an upstream that the test drives. Laws: L4, L7.
@Suite(.pooled) struct GapTests {
    fileprivate func open(
        _ clock: ManualClock, upstream: (any Upstream)? = nil, journal: MemoryJournal = MemoryJournal(),
        _ change: (inout CacheConfiguration) -> Void = { _ in }
    ) async throws -> SyncCache {
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        change(&configuration)
        return try await SyncCache.open(
            configuration: configuration, journal: journal, upstream: upstream, clock: clock)
    }

    fileprivate func status(
        _ phase: LibraryPhase, _ cursor: Int64, lost: [ClosedRange<Int64>] = [], epoch: ByteString = ""
    ) -> [LibraryStatus] {
        let lost = lost.map { LostRange(first: EventSequence($0.lowerBound), last: EventSequence($0.upperBound)) }
        return [LibraryStatus(library: "a", epoch: epoch, cursor: EventSequence(cursor), phase: phase, lost: lost)]
    }

    @Test func `a gap is lost when its window ends and no unread input waits`() async throws {
        let clock = ManualClock()
        let cache = try await open(clock)
        let input = try await HandInput(into: cache, hasUnread: { false })
        try await input.feed([Lines.change(1), Lines.change(4)])
        #expect(await cache.libraries() == status(.gap, 1))
        clock.advance(milliseconds: 49)
        for _ in 0..<100 { await Task.yield() }
        #expect(await cache.libraries() == status(.gap, 1))
        let isLost = await eventually {
            clock.advance(milliseconds: 1)
            return await cache.libraries() == status(.stale, 4, lost: [2...3])
        }
        #expect(isLost)
    }

    @Test func `no window ends while unread input waits`() async throws {
        let clock = ManualClock()
        let hasUnread = Flag(true)
        let cache = try await open(clock)
        let input = try await HandInput(into: cache, hasUnread: { hasUnread.value })
        try await input.feed([Lines.change(1), Lines.change(4)])
        for _ in 0..<20 {
            #expect(await eventually { clock.sleeperCount > 0 })
            clock.advance(milliseconds: 50)
            for _ in 0..<20 { await Task.yield() }
        }
        #expect(await cache.libraries() == status(.gap, 1))
        hasUnread.value = false
        let isLost = await eventually {
            clock.advance(milliseconds: 50)
            return await cache.libraries() == status(.stale, 4, lost: [2...3])
        }
        #expect(isLost)
    }

    @Test func `lines that wait for a slow disk are unread input`() async throws {
        let clock = ManualClock()
        let journal = MemoryJournal()
        let cache = try await open(clock, journal: journal) {
            $0.flush.startCount = 1
            $0.flush.changeCountMax = 1
        }
        // The disk delays the first chunk and so the second; the third has the event that the second one lacks.
        let source = ChunkInput([
            Lines.bytes([Lines.change(1)]), Lines.bytes([Lines.change(2), Lines.change(4)]),
            Lines.bytes([Lines.change(3)]),
        ])
        await journal.pause()
        async let end: Void = {
            let stream = try await IngestStream(of: source, into: cache)
            while try await stream.next() {}
            try await stream.finish()
        }()
        await journal.waitUntilHeld()
        #expect(await eventually { clock.sleeperCount > 0 })
        #expect(source.hasUnread())
        clock.advance(milliseconds: 1_000)
        for _ in 0..<1_000 { await Task.yield() }
        await journal.resume()
        try await end
        #expect(await cache.libraries() == status(.live, 4))
    }

    @Test func `an answer after the beginning of a new log changes nothing, and the newer one is awaited`()
        async throws
    {
        let upstream = ScriptedUpstream()
        let cache = try await open(ManualClock(), upstream: upstream)
        let input = try await HandInput(into: cache)
        try await input.feed([Lines.change(1, epoch: "x"), Lines.heartbeat(4)])
        await upstream.waitForQuestions(1)
        try await input.feed([Lines.change(1, id: "g1", epoch: "y"), Lines.heartbeat(3)])
        await upstream.waitForQuestions(2)
        await upstream.answer(lines: [Lines.change(2, epoch: "x")])
        async let end: Void = input.end()
        for _ in 0..<1_000 { await Task.yield() }
        await upstream.answer(lines: [Lines.change(2, id: "g2", epoch: "y"), Lines.change(3, id: "g3", epoch: "y")])
        try await end
        #expect(await cache.libraries() == status(.stale, 3, epoch: "y"))
        #expect(try await cache.entity(Lines.key("f2")) == .missing(.absent))
        #expect(await upstream.asked.map(\.rawValue) == [2, 2])
        #expect(await cache.counts().reconciled == 2)
    }

    @Test func `an entity that a batch deletes while an answer is read stays deleted`() async throws {
        let upstream = ScriptedUpstream()
        let journal = MemoryJournal()
        let cache = try await open(ManualClock(skipsUpTo: 1_000), upstream: upstream, journal: journal) {
            $0.memoryByteCountMax = 0
            $0.reorderWindow = .milliseconds(3_600_000)
        }
        let input = try await HandInput(into: cache)
        try await input.feed([Lines.change(1, id: "x"), Lines.change(2, id: "y")])
        try await cache.flush()
        #expect(await cache.evictedCount == 2)
        await journal.pauseLoads()
        try await input.feed([Lines.heartbeat(4)])
        await upstream.waitForQuestions(1)
        await upstream.answer(lines: [Lines.change(3, id: "x")])
        await journal.waitUntilHeld()
        async let fed: Void = input.feed([Lines.delete(9, id: "x").replacing("\"sequence\":9,", with: "")])
        for _ in 0..<1_000 { await Task.yield() }
        await journal.resumeLoads()
        try await fed
        await upstream.waitForQuestions(2)
        await upstream.answer(lines: [Lines.delete(4, id: "x")])
        try await input.end()
        #expect(try await cache.entity(Lines.key("x")) == .missing(.deleted))
        #expect(await cache.entityCount() == 1)
        try await cache.close()
        let stored = await journal.stored().values.map { String(decoding: $0.payload, as: UTF8.self) }
        #expect(stored == ["{\"id\":\"y\",\"n\":2}"])
    }

    @Test func `a held merge loads its evicted entity when the upstream gives up`() async throws {
        let upstream = ScriptedUpstream()
        let cache = try await open(ManualClock(), upstream: upstream) { $0.memoryByteCountMax = 0 }
        let input = try await HandInput(into: cache)
        let merge =
            #"{"library_id":"a","sequence":4,"event":{"ResourceChanged":{"resource_type":"file","#
            + #""resource":{"id":"f1","extra":true},"metadata":{}}}}"#
        try await input.feed([Lines.change(1)])
        try await cache.flush()
        try await input.feed([merge, Lines.heartbeat(4)])
        await upstream.waitForQuestions(1)
        // The merge loaded its entity into memory; this commit evicts it again.
        try await input.feed([
            EventLine.delete("x", type: "tag", library: "a")
        ])
        try await cache.flush()
        await upstream.answer(.failure(UpstreamError("gone", isFinal: true)))
        // The end of the input reads the held events by itself, so the failure must come first.
        #expect(await eventually { await cache.libraries() == status(.stale, 4, lost: [2...3]) })
        try await input.end()
        guard case .found(let resource) = try await cache.entity(Lines.key("f1")) else {
            Issue.record("the entity is gone")
            return
        }
        let text = String(decoding: resource.bytes, as: UTF8.self)
        #expect(text.hasSuffix(#","extra":true}"#))
        #expect(text != #"{"id":"f1","extra":true}"#, "what was stored before the merge is lost")
        #expect(await cache.entityCount() == 1)
    }

    @Test func `an upstream that fails is asked five times, then the gap is lost`() async throws {
        let upstream = ScriptedUpstream()
        let cache = try await open(ManualClock(skipsUpTo: 60_000), upstream: upstream)
        let input = try await HandInput(into: cache)
        try await input.feed([Lines.change(1), Lines.heartbeat(3)])
        for count in 1...5 {
            await upstream.waitForQuestions(count)
            await upstream.answer(.failure(UpstreamError("not now")))
        }
        try await input.end()
        #expect(await upstream.asked.map(\.rawValue) == [2, 2, 2, 2, 2])
        #expect(await cache.libraries() == status(.stale, 3, lost: [2...3]))
    }
}

/// A Bool that a test changes while other tasks read it.
final class Flag: Sendable {
    private let storage: Atomic<Bool>

    init(_ value: Bool) { storage = Atomic(value) }

    var value: Bool {
        get { storage.load(ordering: .sequentiallyConsistent) }
        set { storage.store(newValue, ordering: .sequentiallyConsistent) }
    }
}

extension GapTests {
    @Test func `a held merge after a lost gap loads its evicted entity`() async throws {
        let clock = ManualClock()
        let cache = try await open(clock) { $0.memoryByteCountMax = 0 }
        let input = try await HandInput(into: cache, hasUnread: { false })
        try await input.feed([
            EventLine.change(#"{"id":"x","n":1,"m":1}"#, type: "t", library: "a", sequence: 1)
        ])
        try await cache.flush()
        try await input.feed([
            EventLine.change(#"{"id":"x","m":2}"#, type: "t", metadata: "{}", library: "a", sequence: 3)
        ])
        try await cache.flush()
        clock.advance(milliseconds: 60)
        // The window has ended when the next line comes: the gap is declared lost in the same step.
        try await input.feed([Lines.change(5)])
        let isLost = await eventually {
            clock.advance(milliseconds: 60)
            return await cache.libraries() == status(.stale, 5, lost: [2...2, 4...4])
        }
        #expect(isLost)
        let read = try await cache.read(EntityKey(library: "a", type: "t", id: "x"), fields: nil)
        #expect(read.entity.map { String(decoding: $0, as: UTF8.self) } == #"{"id":"x","n":1,"m":2}"#)
    }

    @Test func `a bad event that only the upstream has is lost, whatever its answer covers`() async throws {
        let upstream = ScriptedUpstream()
        let cache = try await open(ManualClock(skipsUpTo: 60_000), upstream: upstream)
        let input = try await HandInput(into: cache, hasUnread: { false })
        try await input.feed([Lines.change(1), EventLine.heartbeat(3, library: "a")])
        let bad =
            EventLine.change(#"{"n":1}"#, type: "t", library: "a", sequence: 2)
        for count in 1...5 {
            await upstream.waitForQuestions(count)
            await upstream.answer(
                .success(
                    UpstreamResponse(
                        lines: Array((bad + "\n" + Lines.change(3) + "\n").utf8), coveredThrough: EventSequence(3))))
        }
        #expect(await eventually { await cache.libraries() == self.status(.stale, 3, lost: [2...2]) })
    }

    @Test func `the coverage of another log does not count for this one`() async throws {
        let upstream = ScriptedUpstream()
        let cache = try await open(ManualClock(skipsUpTo: 60_000), upstream: upstream)
        let input = try await HandInput(into: cache, hasUnread: { false })
        @Sendable func line(_ sequence: Int, _ epoch: String) -> String {
            EventLine.change(
                #"{"id":"x"}"#, type: "t", library: "a", sequence: Int64(sequence), epoch: epoch)
        }
        try await input.feed([line(1, "e"), line(9, "e")])
        try await cache.endOfInputInBackground {
            for count in 1...5 {
                await upstream.waitForQuestions(count)
                await upstream.answer(
                    .success(
                        UpstreamResponse(lines: Array((line(5, "f") + "\n").utf8), coveredThrough: EventSequence(8))))
            }
        }
        #expect(await eventually { await cache.libraries() == self.status(.stale, 9, lost: [2...8], epoch: "e") })
    }
}

extension SyncCache {
    /// Ends the input while a closure runs.
    fileprivate func endOfInputInBackground(_ meanwhile: @escaping @Sendable () async -> Void) async throws {
        async let done: Void = meanwhile()
        try await endOfInput()
        await done
    }
}
