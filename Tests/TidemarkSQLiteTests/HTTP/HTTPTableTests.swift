import TestTraits
import Testing
import Tidemark
import TidemarkHTTPRecords
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// The tables of HTTP answers.
@Suite(.pooled) struct HTTPTableTests {
    private static let body = Array(String(repeating: "an answer of some length, ", count: 90_000).utf8)

    private func record(_ url: String = "http://a.test/x", byteCount: Int = body.count, isSession: Bool = false)
        -> HTTPRecord
    {
        HTTPRecord(
            library: "", url: ByteString(url), key: "GET", isSession: isSession, head: [1, 2, 3],
            byteCount: Int64(byteCount),
            answeredAt: 1_000)
    }

    private func filled(_ path: String) async throws {
        let journal = try await SQLiteJournal.open(path: path)
        _ = try await journal.writeHTTP([.store(record(), body: Self.body, replacing: [])])
        try await journal.close()
    }

    @Test func `a body of several chunks is kept compressed, and comes back whole`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        try await filled(path)
        let journal = try await SQLiteJournal.open(path: path)
        let answers = try await journal.httpAnswers(library: "", url: "http://a.test/x")
        #expect(answers.count == 1 && answers[0].head == [1, 2, 3])
        #expect(answers[0].storedByteCount < Int64(Self.body.count) / 10)
        #expect(try await journal.httpBody(answers[0].number, usedAt: nil) == Self.body)
        #expect(try SQLiteReader(path: path).verify().isSound)
        try await journal.close()
    }

    @Test(arguments: [
        "UPDATE http_answers SET library = 'b'", "UPDATE http_answers SET url = 'http://a.test/y'",
        "UPDATE http_answers SET \"key\" = 'HEAD'", "UPDATE http_answers SET is_session = 1",
        "UPDATE http_answers SET head = x'010204'", "UPDATE http_answers SET body_size = body_size - 1",
        "UPDATE http_answers SET chunk_count = 1", "UPDATE http_answers SET stored_size = 1",
        "UPDATE http_answers SET answered_at = 2000", "UPDATE http_answers SET number = 9",
        "UPDATE http_answers SET checksum = checksum + 1",
        "UPDATE http_chunks SET bytes = zeroblob(100) WHERE place = (SELECT min(place) FROM http_chunks)",
        "UPDATE http_chunks SET size = size - 1", "UPDATE http_chunks SET checksum = checksum + 1",
        "DELETE FROM http_chunks WHERE place = (SELECT max(place) FROM http_chunks)",
        "UPDATE http_chunks SET place = place + 5000", "DELETE FROM http_chunks",
        "UPDATE http_answers SET used_at = -1", "UPDATE http_answers SET hits = -1",
        "UPDATE http_answers SET used_at = 'x'",
        "UPDATE counters SET value = 7 WHERE name LIKE 'http_%'",
    ])
    func `damage is a miss or does no harm, and never another body`(sql: String) async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        try await filled(path)
        SQLiteShell.run(path, [sql])
        if !sql.contains("counters"), !sql.contains("used_at"), !sql.contains("hits") {
            #expect(try !SQLiteReader(path: path).verify().isSound)
        }
        let journal = try await SQLiteJournal.open(path: path)
        for url in ["http://a.test/x", "http://a.test/y"] {
            for library in ["", "b"] {
                for answer in try await journal.httpAnswers(library: ByteString(library), url: ByteString(url)) {
                    #expect(answer.url == "http://a.test/x" && answer.key == "GET" && answer.head == [1, 2, 3])
                    let body = try await journal.httpBody(answer.number, usedAt: 5)
                    #expect(body == nil || body == Self.body)
                }
            }
        }
        // Whatever the damage, an answer can be stored again.
        _ = try await journal.writeHTTP([.store(record("http://a.test/z"), body: Self.body, replacing: [])])
        let answers = try await journal.httpAnswers(library: "", url: "http://a.test/z")
        #expect(answers.count == 1)
        #expect(try await journal.httpBody(answers[0].number, usedAt: nil) == Self.body)
        try await journal.close()
    }

    @Test func `answers of a session are swept at the next opening, and never shown to readers`() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        let journal = try await SQLiteJournal.open(path: path)
        _ = try await journal.writeHTTP([
            .store(record(isSession: true), body: Self.body, replacing: []),
            .store(record("http://a.test/y"), body: [], replacing: []),
        ])
        #expect(try SQLiteReader(path: path).httpAnswers(HTTPSelection()).map(\.url) == ["http://a.test/y"])
        try await journal.close()
        let again = try await SQLiteJournal.open(path: path)
        #expect(try await again.httpAnswers(library: "", url: "http://a.test/x").isEmpty)
        #expect(try await again.httpPage(HTTPSelection(), after: nil, countMax: 10).map(\.url) == ["http://a.test/y"])
        try await again.close()
    }

    @Test func `a page begins after the last entry of the page before`() async throws {
        let folder = try TemporaryFolder()
        let journal = try await SQLiteJournal.open(path: folder.path + "/a.db")
        let urls = (0..<25).map { "http://a.test/\($0)" }
        _ = try await journal.writeHTTP(urls.map { .store(record($0, byteCount: 0), body: [], replacing: []) })
        var seen: [ByteString] = []
        var after: HTTPPlace?
        while true {
            let page = try await journal.httpPage(HTTPSelection(library: ""), after: after, countMax: 4)
            seen += page.map(\.url)
            guard let last = page.last else { break }
            after = HTTPPlace(library: last.library, url: last.url, number: last.number)
        }
        #expect(seen == urls.map { ByteString($0) }.sorted())
        #expect(
            try await journal.httpPage(HTTPSelection(library: "", prefix: "http://a.test/2"), after: nil, countMax: 100)
                .count
                == 6)
        #expect(try await journal.writeHTTP([.removeAll(HTTPSelection(prefix: "http://a.test/1"))]) == 11)
        try await journal.close()
    }
}
