import Logging
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

/// Sequences at the ends of their range: 0, 2^63-1 and beyond, with `prev`, heartbeats and epochs. Laws: L4, L7.
@Suite(.pooled) struct SequenceEdgeTests {
    /// The numbers as they are written on a line.
    private static let numbers = [
        "0", "1", "2", "3", "-1", "-0", "9007199254740993", "9223372036854775804", "9223372036854775805",
        "9223372036854775806", "9223372036854775807", "9223372036854775808", "18446744073709551615",
        "18446744073709551616", "1e3", "1.0", "\"5\"", "null", "true", "[]",
    ]

    private func line(_ random: inout SeededGenerator) -> String {
        func number() -> String { random.pick(Self.numbers) }
        var head = #""library_id":"a""#
        if random.chance(250) { head += #","epoch":"\#(random.pick(["x", "y"]))""# }
        switch random.below(10) {
        case 0: return #"{\#(head),"event":{"Heartbeat":{"last_sequence":\#(number())}}}"#
        case 1: return #"{\#(head),"event":{"Reset":{"epoch":"\#(random.pick(["x", "y", "z"]))"}}}"#
        case 2: return #"{\#(head),"sequence":\#(number()),"event":"Refresh"}"#
        default:
            if random.chance(900) { head += #","sequence":\#(number())"# }
            if random.chance(300) { head += #","prev":\#(number())"# }
            let resource = #"{"id":"\#(random.below(4))","n":\#(random.below(100))}"#
            return #"{\#(head),"event":{"ResourceChanged":{"resource_type":"file","resource":\#(resource)}}}"#
        }
    }

    @Test(arguments: TestScale.seeds(300))
    func `sequences at both ends of the range agree with the model, with restarts between`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        var model = ReferenceModel(configuration: ReferenceConfiguration())
        let store = MemoryJournal.Store()
        for part in 0..<3 {
            var configuration = CacheConfiguration()
            configuration.logger.logLevel = .critical
            configuration.reorderWindow = .milliseconds(3_600_000)
            if part > 0 { model.restart() }
            let under = try await CacheFixture.open(
                MemoryJournal(store: store), configuration, upstream: nil, clock: ManualClock())
            let stream = Lines.bytes((0..<1 + random.below(8)).map { _ in line(&random) })
            model.ingest(stream)
            model.endOfInput()
            try await under.ingest(stream, seed: seed, endsInput: true)
            let problems = try await under.differences(from: model)
            #expect(problems == [], "seed \(seed): \(String(decoding: stream, as: UTF8.self))")
            await under.cache.checkInvariants()
            try await under.cache.close()
            if !problems.isEmpty { return }
        }
    }

    @Test func `the largest sequence ends a log, and only another epoch continues`() async throws {
        let last = Int64.max
        let cache = try await SyncCache.open(journal: MemoryJournal(), clock: ManualClock())
        let input = try await HandInput(into: cache)
        try await input.feed([
            Lines.change(0, epoch: "a"), Lines.change(last, id: "end"), Lines.heartbeat(last),
            Lines.change(last, id: "again"),
            Lines.change(0, id: "wrapped"),
        ])
        try await cache.endOfInput()
        let status = await cache.libraries().first
        #expect(status?.cursor == EventSequence(last))
        #expect(status?.lost == [LostRange(first: EventSequence(1), last: EventSequence(last - 1))])
        // 2^63 is not a sequence, and does not become a negative one.
        try await input.feed([
            #"{"library_id":"a","sequence":9223372036854775808,"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"no"}}}}"#,
            Lines.change(5, id: "new", epoch: "b"),
        ])
        try await cache.endOfInput()
        #expect(await cache.libraries().first?.cursor == EventSequence(5))
        #expect(try await cache.read(Lines.key("wrapped"), fields: nil).miss == .absent)
        #expect(try await cache.read(Lines.key("no"), fields: nil).miss == .absent)
        #expect(try await cache.read(Lines.key("new"), fields: nil).miss == nil)
        let counts = await cache.counts()
        #expect(counts.duplicate == 2 && counts.quarantined == 1 && counts.isConserved(), "\(counts)")
        try await cache.close()
    }

    @Test func `an upstream is not asked for numbers after the largest sequence`() async throws {
        let upstream = ScriptedUpstream()
        let cache = try await SyncCache.open(journal: MemoryJournal(), upstream: upstream, clock: ManualClock())
        let input = try await HandInput(into: cache)
        try await input.feed([Lines.change(Int64.max - 1), Lines.heartbeat(Int64.max)])
        async let ended: Void = cache.endOfInput()
        await upstream.waitForQuestions(1)
        await upstream.answer(
            .success(
                UpstreamResponse(lines: Lines.bytes([Lines.change(Int64.max)]), coveredThrough: EventSequence(.max))))
        try await ended
        #expect(await upstream.asked == [EventSequence(.max)])
        #expect(await cache.libraries().first?.cursor == EventSequence(.max))
        try await cache.close()
    }
}
