import OwnJournal
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

@Suite(.timeLimit(.minutes(5))) struct OwnJournalTests {
    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `the journal keeps its promises`(seed: UInt64) async throws {
        let storage = DictionaryJournal.Storage()
        try await JournalConformance().run(seed: seed) { DictionaryJournal(storage) }
        let other = DictionaryJournal.Storage()
        try await JournalConformance().runRebuild(seed: seed) { DictionaryJournal(other) }
    }

    @Test func `a cache continues where the one before it ended`() async throws {
        let storage = DictionaryJournal.Storage()
        let line = #"{"sequence":7,"event":{"ResourceChanged":{"resource_type":"photo","resource":{"id":"1"}}}}"#
        let first = try await SyncCache.open(journal: DictionaryJournal(storage), clock: ManualClock())
        try await first.ingest(Array((line + "\n").utf8))
        try await first.close()
        let second = try await SyncCache.open(journal: DictionaryJournal(storage), clock: ManualClock())
        guard case .found(let photo) = try await second.entity(EntityKey(type: "photo", id: "1")) else {
            Issue.record("the photo is gone")
            return
        }
        #expect(photo.bytes == Array(#"{"id":"1"}"#.utf8))
        #expect(photo.sequence == EventSequence(7))
        try await second.close()
    }
}
