import TestTraits
import Testing
import Tidemark
import TidemarkHTTPRecords
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// Bodies that are written before their heads, and bodies that are read while their answers go.
@Suite(.pooled) struct HTTPDraftTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path + "/a.db" }

    init() throws { folder = try TemporaryFolder() }

    static func body(_ byteCount: Int, seed: UInt64 = 1) -> [UInt8] {
        [UInt8](halfRandom: byteCount, seed: seed)
    }

    static func record(_ url: String, _ byteCount: Int, isSession: Bool = false, head: [UInt8] = [1, 2, 3])
        -> HTTPRecord
    {
        HTTPRecord(
            library: "", url: ByteString(url), key: "GET", isSession: isSession, head: head,
            byteCount: Int64(byteCount), answeredAt: 1_000)
    }

    /// Writes a body in chunks.
    static func draft(
        _ body: [UInt8], _ journal: SQLiteJournal
    ) async throws -> (HTTPBodyDraft, HTTPBodyHold) {
        var (draft, hold) = try #require(try await journal.beginHTTPBody())
        for start in stride(from: 0, to: body.count, by: HTTPBodyDraft.chunkByteCount) {
            let chunk = Array(body[start..<min(start + HTTPBodyDraft.chunkByteCount, body.count)])
            draft = try #require(try await journal.writeHTTPChunk(chunk, of: draft))
        }
        return (draft, hold)
    }

    private func counts() throws -> (chunks: Int, answers: Int64) {
        let reader = try SQLiteReader(path: path)
        return (try reader.httpChunkCount(), try reader.httpTotals().answerCount)
    }

    @Test func `chunks become an answer with their head, and are nothing before`() async throws {
        let journal = try await SQLiteJournal.open(path: path)
        let body = Self.body(2_500_000)
        let (draft, hold) = try await Self.draft(body, journal)
        #expect(draft.chunkCount == 3 && draft.byteCount == 2_500_000)
        #expect(try counts() == (3, 0))
        #expect(try SQLiteReader(path: path).verify().isSound)
        _ = try await journal.writeHTTP([.storeDraft(Self.record("http://a.test/x", body.count), draft, replacing: [])])
        let stored = try #require(try await journal.httpAnswers(library: "", url: "http://a.test/x").first)
        #expect(stored.number == hold.number && stored.byteCount == 2_500_000)
        #expect(try await journal.httpBody(stored.number, usedAt: nil) == body)
        try await journal.close()
        #expect(try SQLiteReader(path: path).verify().isSound)
    }

    @Test func `any part of a body is read from its chunks alone`() async throws {
        let journal = try await SQLiteJournal.open(path: path)
        let body = Self.body(2_200_000)
        _ = try await journal.writeHTTP([.store(Self.record("http://a.test/x", body.count), body: body, replacing: [])])
        let number = try #require(try await journal.httpAnswers(library: "", url: "http://a.test/x").first).number
        var random = SeededGenerator(seed: 3)
        let edges: [Int64] = [0, 1, 1 << 20 - 1, 1 << 20, 1 << 20 + 1, 2 << 20, 2_199_999, 2_200_000]
        for _ in 0..<60 {
            let first = random.chance(500) ? random.pick(edges) : Int64(random.below(2_200_001))
            let second = random.chance(500) ? random.pick(edges) : Int64(random.below(2_200_001))
            let bounds = min(first, second)..<max(first, second)
            #expect(
                try await journal.httpBody(number, bounds: bounds, usedAt: nil)
                    == Array(body[Int(bounds.lowerBound)..<Int(bounds.upperBound)]), "\(bounds)")
        }
        for outside: Range<Int64> in [-1..<3, 0..<2_200_001, 2_200_001..<2_200_002] {
            #expect(try await journal.httpBody(number, bounds: outside, usedAt: nil) == nil)
        }
        try await journal.close()
    }

    @Test func `chunks that nobody holds go with the next change, and the others at the next opening`() async throws {
        let journal = try await SQLiteJournal.open(path: path)
        do { _ = try await Self.draft(Self.body(1_500_000), journal) }
        #expect(try counts().chunks == 2)
        _ = try await journal.writeHTTP([])
        #expect(try counts().chunks == 0)
        let (_, hold) = try await Self.draft(Self.body(1_500_000), journal)
        try await journal.close()
        #expect(try counts().chunks == 2)
        #expect(try SQLiteReader(path: path).verify().isSound)
        let again = try await SQLiteJournal.open(path: path)
        _ = try await again.recover()
        #expect(try counts().chunks == 0)
        // The number of the lost draft is not given again.
        let (next, _) = try #require(try await again.beginHTTPBody())
        #expect(next.number > hold.number)
        try await again.close()
        #expect(try SQLiteReader(path: path).verify().isSound)
    }

    @Test func `a held body outlives its answer`() async throws {
        let journal = try await SQLiteJournal.open(path: path)
        let body = Self.body(2_500_000)
        _ = try await journal.writeHTTP([.store(Self.record("http://a.test/x", body.count), body: body, replacing: [])])
        let number = try #require(try await journal.httpAnswers(library: "", url: "http://a.test/x").first).number
        var hold = try await journal.holdHTTPBody(number, usedAt: nil)
        #expect(try await journal.writeHTTP([.removeAll(HTTPSelection())]) == 1)
        #expect(try counts() == (3, 0))
        #expect(try SQLiteReader(path: path).verify().isSound)
        let last = try await journal.httpChunk(try #require(hold), 2)
        #expect(last == Array(body[(2 << 20)...]))
        #expect(try await journal.holdHTTPBody(number, usedAt: nil) == nil)
        hold = nil
        _ = try await journal.writeHTTP([])
        #expect(try counts().chunks == 0)
        try await journal.close()
    }

    @Test func `a draft and a hold end with the file that is replaced`() async throws {
        let journal = try await SQLiteJournal.open(path: path)
        let body = Self.body(1_500_000)
        let (draft, hold) = try await Self.draft(body, journal)
        _ = try await journal.rebuild(reason: "as the test says")
        #expect(try await journal.writeHTTPChunk([1], of: draft) == nil)
        #expect(try await journal.beginHTTPBody() == nil)
        var flush = FlushBatch()
        flush.newLibraries = [(0, "")]
        try await journal.commit(flush)
        // Another body gets the number of the old one.
        let other = try await Self.draft(Self.body(1_500_000, seed: 2), journal)
        #expect(other.0.number == draft.number)
        #expect(try await journal.httpChunk(hold, 0) == nil)
        #expect(try await journal.httpChunk(other.1, 0) != nil)
        try await journal.close()
    }

    @Test func `a head whose chunks are not what it says is not stored, and replaces nothing`() async throws {
        let journal = try await SQLiteJournal.open(path: path)
        _ = try await journal.writeHTTP([.store(Self.record("http://a.test/x", 1), body: [1], replacing: [])])
        let old = try #require(try await journal.httpAnswers(library: "", url: "http://a.test/x").first)
        var (draft, hold) = try await Self.draft(Self.body(1_500_000), journal)
        draft.byteCount += 1
        _ = try await journal.writeHTTP([
            .storeDraft(Self.record("http://a.test/x", 1_500_001), draft, replacing: [old.number])
        ])
        #expect(try await journal.httpAnswers(library: "", url: "http://a.test/x").map(\.number) == [old.number])
        withExtendedLifetime(hold) {}
        try await journal.close()
    }

    @Test func `a confirmation is seen at once, costs no write, and is on the disk after closing`() async throws {
        let journal = try await SQLiteJournal.open(path: path)
        _ = try await journal.writeHTTP([.store(Self.record("http://a.test/x", 1), body: [1], replacing: [])])
        let old = try #require(try await journal.httpAnswers(library: "", url: "http://a.test/x").first)
        let place = HTTPLedger.place(library: "", url: "http://a.test/x")
        let version = journal.sharedHTTP.version(place)
        _ = try await journal.writeHTTP([.update(number: old.number, head: [9, 9, 9, 9], answeredAt: 5_000)])
        #expect(journal.sharedHTTP.version(place) > version)
        let seen = try #require(try await journal.httpAnswers(library: "", url: "http://a.test/x").first)
        #expect(seen.head == [9, 9, 9, 9] && seen.answeredAt == 5_000)
        #expect(try SQLiteReader(path: path).httpAnswers(HTTPSelection()).map(\.head) == [[1, 2, 3]])
        try await journal.close()
        let written = try SQLiteReader(path: path).httpAnswers(HTTPSelection())
        #expect(written.map(\.head) == [[9, 9, 9, 9]] && written.map(\.answeredAt) == [5_000])
        #expect(try SQLiteReader(path: path).verify().isSound)
    }

    @Test func `many confirmations are written before they are too many`() async throws {
        let journal = try await SQLiteJournal.open(path: path)
        let urls = (0...HTTPMemory.updateCountMax).map { "http://a.test/\($0)" }
        _ = try await journal.writeHTTP(urls.map { .store(Self.record($0, 0), body: [], replacing: []) })
        for number in 1...Int64(urls.count) {
            _ = try await journal.writeHTTP([.update(number: number, head: [4], answeredAt: 2_000)])
        }
        #expect(
            try SQLiteReader(path: path).httpAnswers(HTTPSelection()).filter { $0.head == [4] }.count == urls.count)
        try await journal.close()
    }

    /// Totals that are not those of the rows would keep the limit from working.
    @Test(arguments: ["http_answers", "http_bytes", "http_session_answers"])
    func `verify compares the totals with the rows`(counter: String) async throws {
        let journal = try await SQLiteJournal.open(path: path)
        _ = try await journal.writeHTTP([.store(Self.record("http://a.test/x", 1), body: [1], replacing: [])])
        try await journal.close()
        #expect(try SQLiteReader(path: path).verify().isSound)
        SQLiteShell.run(path, ["UPDATE counters SET value = value + 1 WHERE name = '\(counter)'"])
        #expect(try !SQLiteReader(path: path).verify().isSound)
    }

    @Test func `verify finds chunks that belong to nobody`() async throws {
        let journal = try await SQLiteJournal.open(path: path)
        _ = try await journal.writeHTTP([.store(Self.record("http://a.test/x", 1), body: [1], replacing: [])])
        try await journal.close()
        SQLiteShell.run(path, ["UPDATE http_chunks SET place = place + 5 * 1024"])
        #expect(try !SQLiteReader(path: path).verify().isSound)
    }
}
