import Logging
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

/// Acknowledgements, and the effect of a failing journal on them. Laws: L5, L7.
@Suite(.pooled) struct DurabilityTests {
    private func open(
        _ journal: MemoryJournal, _ change: (inout CacheConfiguration) -> Void = { _ in }
    ) async throws -> SyncCache {
        var configuration = CacheConfiguration()
        configuration.logger.logLevel = .critical
        configuration.flush.startCount = 1
        change(&configuration)
        return try await SyncCache.open(
            configuration: configuration, journal: journal, clock: ManualClock(skipsUpTo: 60_000))
    }

    private func acknowledgement(_ lines: Int64, _ cursor: Int64) -> Acknowledgement {
        Acknowledgement(lines: lines, libraries: ["a": EventSequence(cursor)])
    }

    @Test func `nothing is acknowledged before it is committed`() async throws {
        let journal = MemoryJournal()
        let cache = try await open(journal)
        let input = try await HandInput(into: cache)
        await journal.pause()
        try await input.feed([Lines.change(1), Lines.change(2)])
        await journal.waitUntilHeld()
        try await input.feed([Lines.change(3)])
        #expect(await cache.progress(of: input.input).durableLineCount == 0)
        #expect(await journal.stored().isEmpty)
        await journal.resume()
        try await input.end()
        #expect(await input.allAcknowledgements() == [acknowledgement(2, 2), acknowledgement(3, 3)])
        #expect(await journal.stored().count == 3)
    }

    @Test func `the line of a held event delays its acknowledgement`() async throws {
        let journal = MemoryJournal()
        let cache = try await open(journal) { $0.reorderWindow = .milliseconds(3_600_000) }
        let input = try await HandInput(into: cache)
        try await input.feed([Lines.change(1), Lines.change(3)])
        try await cache.flush()
        try await input.feed([Lines.change(4)])
        try await cache.flush()
        try await input.feed([Lines.change(2)])
        try await input.end()
        #expect(await input.allAcknowledgements() == [acknowledgement(1, 1), acknowledgement(4, 4)])
    }

    @Test func `each acknowledgement names the cursor after its lines`() async throws {
        let journal = MemoryJournal()
        let cache = try await open(journal)
        let input = try await HandInput(into: cache)
        for sequence in 1...40 as ClosedRange<Int64> { try await input.feed([Lines.change(sequence, id: "x")]) }
        try await input.end()
        let all = await input.allAcknowledgements()
        #expect(all == all.map { acknowledgement($0.lines, $0.lines) })
        #expect(all.map(\.lines) == all.map(\.lines).sorted())
        #expect(all.last == acknowledgement(40, 40))
    }

    @Test func `a batch of 1,000 members is seen whole or not at all`() async throws {
        let journal = MemoryJournal()
        let cache = try await open(journal)
        let input = try await HandInput(into: cache)
        let isOver = Flag(false)
        async let seen: Set<Int64> = {
            var seen: Set<Int64> = []
            while !isOver.value {
                seen.insert(await cache.entityCount())
                seen.insert(Int64(await journal.stored().count))
                await Task.yield()
            }
            return seen
        }()
        let members = (0..<1_000).map { "{\"id\":\"m\($0)\"}" }.joined(separator: ",")
        try await input.feed([
            "{\"library_id\":\"a\",\"sequence\":1,\"event\":{\"ResourceBatchChanged\":{\"resource_type\":\"file\","
                + "\"resources\":[\(members)]}}}"
        ])
        try await input.end()
        isOver.value = true
        #expect(await seen.subtracting([0, 1_000]) == [])
        #expect(await journal.stored().count == 1_000)
        #expect(await cache.counts().applied == 1)
    }

    @Test func `a failing journal acknowledges nothing, reads are served, and writing resumes by itself`() async throws
    {
        let journal = MemoryJournal()
        let cache = try await open(journal)
        let input = try await HandInput(into: cache)
        let full = StorageError(.diskFull, "no room", advice: "make room")
        await journal.failCommits(full)
        try await input.feed([Lines.change(1), Lines.change(2)])
        await #expect(throws: full) { try await cache.flush() }
        #expect(await cache.storageError == full)
        #expect(await cache.progress(of: input.input).durableLineCount == 0)
        guard case .found(let resource) = try await cache.entity(Lines.key("f2")) else {
            Issue.record("f2 is not served")
            return
        }
        #expect(resource.bytes == Array("{\"id\":\"f2\",\"n\":2}".utf8))
        try await input.feed([Lines.change(3)])
        await journal.failCommits(nil)
        try await input.end()
        #expect(await cache.storageError == nil)
        #expect(await input.allAcknowledgements().last == acknowledgement(3, 3))
        #expect(await journal.stored().count == 3)
    }

    @Test func `a damaged journal is made anew from memory`() async throws {
        let journal = MemoryJournal()
        let cache = try await open(journal)
        let input = try await HandInput(into: cache)
        try await input.feed([Lines.change(1), "nonsense", Lines.change(2)])
        try await cache.flush()
        await journal.failNextCommits([StorageError(.damaged, "torn", advice: "")])
        try await input.feed([Lines.change(3), "more nonsense"])
        try await input.end()
        #expect(await input.allAcknowledgements().last == acknowledgement(5, 3))
        #expect(await journal.stored().count == 3)
        #expect(await journal.quarantine().map(\.line) == [5])
        #expect(await cache.storageError == nil)
        let counts = await cache.counts()
        #expect(counts.isConserved())
    }

    @Test func `while a journal is made anew nothing is written to it`() async throws {
        let journal = MemoryJournal()
        let cache = try await open(journal)
        let input = try await HandInput(into: cache)
        try await input.feed([Lines.change(1), Lines.change(2)])
        try await cache.flush()
        let commitCount = await journal.commitCount
        await journal.failNextCommits([StorageError(.damaged, "torn", advice: "")])
        await journal.pauseRebuild()
        try await input.feed([Lines.change(3), "nonsense"])
        await journal.waitUntilHeld()
        try await input.feed([Lines.change(4)])
        for _ in 0..<1_000 { await Task.yield() }
        #expect(await journal.commitCount == commitCount)
        await journal.resumeRebuild()
        try await input.end()
        #expect(await journal.stored().count == 4)
        #expect(await journal.quarantine().map(\.line) == [4])
        #expect(await input.allAcknowledgements().last == acknowledgement(5, 4))
    }
}
