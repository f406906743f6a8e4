import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

/// Lines that were quarantined under one configuration and are read again under another.
@Suite(.pooled) struct RetryTests {
    @Test func `a retried line with a lost sequence takes effect, except over newer writes`() async throws {
        let store = MemoryJournal.Store()
        var strict = CacheConfiguration()
        strict.limits.batchMemberCountMax = 1
        let first = try await SyncCache.open(configuration: strict, journal: MemoryJournal(store: store))
        try await first.ingest(
            lines(
                change("1", n: 1, sequence: 1),
                """
                {"library_id":"L","sequence":2,"event":{"BatchChanged":{"resource_type":"file",\
                "resources":[{"id":"1","n":2},{"id":"2","n":2}]}}}
                """,
                change("1", n: 3, sequence: 3), "no json"))
        try await first.endOfInput()
        try await first.close()

        let journal = MemoryJournal(store: store)
        let second = try await SyncCache.open(journal: journal)
        #expect(await second.libraries().map(\.lost) == [[LostRange(first: EventSequence(2), last: EventSequence(2))]])
        let counts = try await second.retry(await journal.quarantine())
        #expect([counts.applied, counts.superseded, counts.refused] == [1, 0, 1])
        #expect(try await text(of: "1", in: second) == #"{"id":"1","n":3}"#)
        #expect(try await text(of: "2", in: second) == #"{"id":"2","n":2}"#)
        #expect(await second.libraries().map(\.lost) == [[]])
        try await second.flush()
        #expect(await journal.quarantine().map(\.reason) == [.notJSON])
        try await second.close()
    }

    @Test func `a retried line without a sequence does not undo later writes`() async throws {
        let store = MemoryJournal.Store()
        var strict = CacheConfiguration()
        strict.limits.batchMemberCountMax = 1
        let clock = ManualClock(now: 1_000)
        let first = try await SyncCache.open(
            configuration: strict, journal: MemoryJournal(store: store), clock: clock)
        try await first.ingest(
            lines(#"{"BatchChanged":{"resource_type":"file","resources":[{"id":"1","n":1},{"id":"2","n":1}]}}"#))
        clock.advance(milliseconds: 10)
        try await first.ingest(lines(EventLine.change(#"{"id":"1","n":2}"#)))
        try await first.close()

        let journal = MemoryJournal(store: store)
        let second = try await SyncCache.open(journal: journal, clock: clock)
        let counts = try await second.retry(await journal.quarantine())
        #expect([counts.applied, counts.superseded, counts.refused] == [0, 1, 0])
        #expect(try await text(of: "1", in: second) == #"{"id":"1","n":2}"#)
        try await second.close()
    }

    @Test(arguments: [
        #"{"BatchChanged":{"resource_type":"file","resources":[{"id":"1","n":2},{"id":"2","n":2}]}}"#,
        #"{"ResourceDeleted":{"resource_type":"file","resource_id":"1","x":[[]]}}"#,
    ])
    func `a retried line does not restore an evicted entity, after a restart either`(event: String) async throws {
        let store = MemoryJournal.Store()
        var strict = CacheConfiguration()
        strict.limits.batchMemberCountMax = 1
        strict.limits.nestingDepthMax = 4
        strict.eviction.entityCountMax = 0
        let first = try await SyncCache.open(configuration: strict, journal: MemoryJournal(store: store))
        try await first.ingest(
            lines(
                change("1", n: 1, sequence: 1), #"{"library_id":"L","sequence":2,"event":\#(event)}"#,
                change("1", n: 3, sequence: 3), change("2", n: 3, sequence: 4)))
        try await first.endOfInput()
        try await first.close()

        let journal = MemoryJournal(store: store)
        #expect(await journal.quarantine().count == 1)
        let second = try await SyncCache.open(journal: journal)
        let counts = try await second.retry(await journal.quarantine())
        // The event's number stays lost, and the record is its only copy, so it stays in quarantine.
        #expect([counts.applied, counts.superseded, counts.refused] == [0, 0, 1])
        #expect(try await second.entity(EntityKey(library: "L", type: "file", id: "1")) == .missing(.evicted))
        #expect(await second.entityCount() == 0)
        try await second.close()
    }

    @Test func `a retried line that is one library or one type too many stays in quarantine`() async throws {
        let store = MemoryJournal.Store()
        var strict = CacheConfiguration()
        strict.limits.libraryCountMax = 1
        strict.limits.typeCountMax = 1
        let first = try await SyncCache.open(configuration: strict, journal: MemoryJournal(store: store))
        try await first.ingest(
            lines(
                change("1", n: 1, sequence: 1), EventLine.change(#"{"id":"2","n":2}"#, library: "M", sequence: 1),
                #"{"library_id":"L","event":{"ResourceChanged":{"resource_type":"tag","resource":{"id":"3","n":3}}}}"#))
        try await first.close()

        let journal = MemoryJournal(store: store)
        let full = try await SyncCache.open(configuration: strict, journal: journal)
        var counts = try await full.retry(await journal.quarantine())
        #expect([counts.applied, counts.superseded, counts.refused] == [0, 0, 2])
        try await full.close()
        #expect(await journal.quarantine().map(\.reason) == [.tooManyLibraries, .badType])

        let again = MemoryJournal(store: store)
        let roomy = try await SyncCache.open(journal: again)
        counts = try await roomy.retry(await again.quarantine())
        #expect([counts.applied, counts.superseded, counts.refused] == [2, 0, 0])
        #expect(await roomy.entityCount() == 3)
        try await roomy.close()
    }

    private func change(_ id: String, n: Int, sequence: Int) -> String {
        EventLine.change(#"{"id":"\#(id)","n":\#(n)}"#, library: "L", sequence: Int64(sequence))
    }

    private func lines(_ lines: String...) -> [UInt8] {
        Array(lines.map { $0 + "\n" }.joined().utf8)
    }

    /// Returns an entity's text from the library `L`, or from the default one.
    private func text(of id: ByteString, in cache: SyncCache) async throws -> String? {
        for library: ByteString in ["L", ""] {
            if case .found(let resource) = try await cache.entity(EntityKey(library: library, type: "file", id: id)) {
                return String(decoding: resource.bytes, as: UTF8.self)
            }
        }
        return nil
    }
}
