import TestTraits
import Testing
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// The engine's own work with stored answers: its limits, and its file.
@Suite(.pooled) struct HTTPToolTests {
    /// Law: answers go before entities, the least recently used first.
    @Test func `answers go before entities when the disk is full`() async throws {
        let folder = try TemporaryFolder()
        var configuration = CacheConfiguration()
        configuration.eviction.diskByteCountMax = 4 << 20
        let clock = ManualClock(skipsUpTo: 100)
        let journal = try await SQLiteJournal.open(path: folder.path + "/a.db")
        let cache = try await SyncCache.open(configuration: configuration, journal: journal, clock: clock)
        let server = ChunkedServer()
        let client = HTTPClient(cache, transport: server, defaults: HTTPClientDefaults())
        for number in 0..<20 {
            let event =
                #"{"sequence":\#(number + 1),"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"\#(number)"}}}}"#
            try await cache.ingest(Array(event.utf8) + [0x0A])
        }
        try await cache.flush()
        var random = SeededGenerator(seed: 1)
        for number in 0..<12 {
            let body = (0..<600_000).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            server.answers(.init(fields: [("ETag", "\"\(number)\"")], chunks: [body]))
            clock.advance(milliseconds: 1_000)
            _ = try await client.fetch(try Self.request("http://a.test/\(number)"))
        }
        // An event brings the flush after which the limit is looked at.
        let last = #"{"sequence":21,"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"x"}}}}"#
        try await cache.ingest(Array(last.utf8) + [0x0A])
        try await cache.flush()
        while await journal.byteCount() > 4 << 20 {
            try Task.checkCancellation()
            await Task.yield()
        }
        let left = try await client.list(HTTPSelection(), after: nil, countMax: 99).entries.map(\.url.description)
        #expect(!left.contains("http://a.test/0") && left.contains("http://a.test/11"), "\(left)")
        for number in 0..<20 {
            let key = EntityKey(library: "", type: "file", id: ByteString("\(number)"))
            #expect(try await cache.read(EntityRequest(key)).entity != nil)
        }
        await client.close()
        try await cache.close()
    }

    private static func request(_ url: String) throws -> HTTPFetch {
        HTTPFetch(
            library: "", request: RequestHead(method: "GET", url: try HTTPURL(ByteString(url)), fields: HeaderFields()),
            rules: .only(.etag), storage: .permanent, timeout: .seconds(30))
    }

    @Test func `an answer whose body is damaged is asked for again without validators`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("ETag", "\"1\""), ("Cache-Control", "max-age=600")], "body")
        _ = try await fixture.fetch("http://a.test/x", .standard)
        try await fixture.reopen()
        try fixture.sqlite("UPDATE http_chunks SET bytes = zeroblob(length(bytes))")
        let again = try await fixture.fetch("http://a.test/x", .standard)
        #expect(again.text == "body" && !again.isFromCache)
        #expect(fixture.server.asked.map { $0.fields.contains("if-none-match") } == [false, false])
        try fixture.sqlite("UPDATE http_answers SET head = zeroblob(length(head))")
        try await fixture.reopen()
        #expect(try await !fixture.fetch("http://a.test/x", .standard).isFromCache)
        try await fixture.close()
    }

    @Test func `a copy in memory ends with every change of its URL`() async throws {
        let fixture = try await HTTPFixture()
        for round in 0..<4 {
            fixture.server.answers(200, [("Cache-Control", "max-age=600")], "body \(round)")
            _ = try await fixture.fetch("http://a.test/x", .standard)
            for _ in 0..<3 {
                #expect(try await fixture.fetch("http://a.test/x", .standard).text == "body \(round)")
            }
            #expect(fixture.server.asked.count == round * 2 + 1)
            switch round {
            case 0: _ = try await fixture.client.invalidate(HTTPSelection(url: "http://a.test/x"))
            case 1: _ = try await fixture.fetch("http://a.test/x", .only([]), method: "POST")
            case 2: _ = try await fixture.journal.removeAttached(byteCount: 1 << 30)
            default: break
            }
            // So that each round asks twice.
            if round != 1 { _ = try await fixture.fetch("http://b.test/\(round)") }
        }
        let entries = try await fixture.client.list(HTTPSelection(), after: nil, countMax: 9).entries
        #expect(entries.first { $0.url == "http://a.test/x" }?.hitCount == 3)
        try await fixture.close()
    }

    /// A confirmed copy stays in memory, unless something else of its URL changed meanwhile.
    @Test func `a confirmation keeps the copy in memory, with the new fields`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("ETag", "\"1\""), ("X-Round", "0"), ("Cache-Control", "max-age=60")], "body")
        _ = try await fixture.fetch("http://a.test/x", .standard)
        for round in 1...3 {
            fixture.pass(100)
            fixture.server.answers(
                200, [("ETag", "\"1\""), ("X-Round", "\(round)"), ("Cache-Control", "max-age=60")], "body")
            let confirmed = try await fixture.fetch("http://a.test/x", .standard)
            #expect(confirmed.isRevalidated && confirmed.text == "body" && confirmed.age == 0)
            fixture.pass(10)
            let hit = try await fixture.fetch("http://a.test/x", .standard)
            #expect(hit.isFromCache && hit.text == "body" && hit.age == 10 && !hit.isStale)
            #expect(hit.head.fields.first("x-round") == ByteString("\(round)"))
            // Behind the copy in memory the file has the same.
            let entries = try await fixture.client.list(HTTPSelection(), after: nil, countMax: 9).entries
            #expect(entries.map(\.age) == [10] && entries.map(\.freshnessLeft) == [50])
            if round == 2 {
                _ = try await fixture.client.invalidate(HTTPSelection(url: "http://a.test/x"))
                #expect(try await !fixture.fetch("http://a.test/x", .standard).isFromCache)
            }
        }
        try await fixture.close()
    }

    @Test func `a version counts as one confirmation only when nothing else happened`() {
        let ledger = HTTPLedger()
        let place = HTTPLedger.place(library: "", url: "http://a.test/x")
        let start = ledger.version(place)
        ledger.confirmed(7, at: place)
        let confirmed = ledger.version(place)
        #expect(ledger.version(place, onlyConfirmed: 7, since: start) == confirmed)
        #expect(ledger.version(place, onlyConfirmed: 8, since: start) == nil)
        ledger.changed([place])
        #expect(ledger.version(place, onlyConfirmed: 7, since: start) == nil)
        #expect(ledger.version(place, onlyConfirmed: 7, since: confirmed) == nil)
        ledger.confirmed(7, at: place)
        ledger.confirmed(7, at: place)
        #expect(ledger.version(place, onlyConfirmed: 7, since: confirmed) == nil)
    }

    @Test func `the answers that were used last are kept, also by hits in memory`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("Cache-Control", "max-age=600")], String(repeating: "x", count: 300))
        for number in 0..<4 {
            fixture.pass(1)
            _ = try await fixture.fetch("http://a.test/\(number)", .standard)
        }
        fixture.pass(1)
        #expect(try await fixture.fetch("http://a.test/0", .standard).isFromCache)
        #expect(try await fixture.journal.removeAttached(byteCount: 1))
        let left = try await fixture.client.list(HTTPSelection(), after: nil, countMax: 9).entries.map(\.url)
        #expect(left == ["http://a.test/0", "http://a.test/2", "http://a.test/3"])
        try await fixture.close()
    }

    /// The law of the room, end to end: whatever two users send and the server varies on, neither gets what the other
    /// fetched.
    @Test(arguments: TestScale.seeds(8))
    func `answers of two users are never mixed`(seed: UInt64) async throws {
        var random = SeededGenerator(seed: seed)
        let fixture = try await HTTPFixture()
        let values = ["", "a", "b", "Bearer 1", "Bearer 2", "A", "a, b"]
        let rules: [CacheRules] = [
            .standard, .only(.enabled), .only([.etag, .loadIfOffline]), .only([.maxAge, .etag]),
        ]
        fixture.server.answers { exchange in
            func all(_ name: String) -> String {
                exchange.fields.values(name).map(\.description).joined(separator: "|")
            }
            let user = "\(all("authorization"))/\(all("cookie"))"
            let tag = "\"same\""
            if exchange.fields.first("if-none-match") == ByteString(tag) {
                return .success(.init(status: 304, fields: [("ETag", tag)], body: ""))
            }
            let vary = exchange.url.text.description.last.map { "Accept, X-\($0)" } ?? ""
            return .success(
                .init(
                    status: 200,
                    fields: [("Vary", vary), ("Cache-Control", "public, max-age=60"), ("ETag", tag)], body: user))
        }
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 150) {
            var fields: [(String, String)] = []
            for name in ["Authorization", "cookie", "COOKIE", "Accept", "X-1"] where random.chance(400) {
                fields.append((name, random.pick(values)))
            }
            func all(_ name: String) -> String {
                fields.filter { $0.0.lowercased() == name }.map(\.1).joined(separator: "|")
            }
            if random.chance(100) { fixture.pass(Int64(random.below(90))) }
            let fetched = try await fixture.fetch(
                "http://a.test/\(random.below(3))", random.pick(rules), fields: fields,
                storage: random.chance(300) ? .session : .permanent)
            #expect(
                fetched.text == "\(all("authorization"))/\(all("cookie"))", "\(walk): \(fields)")
        }
        try await fixture.close()
    }

    @Test func `a file of an older format gets the tables of answers`() async throws {
        let fixture = try await HTTPFixture()
        try await fixture.close()
        try fixture.sqlite(
            "DROP TABLE http_answers", "DROP TABLE http_chunks", "DELETE FROM grdb_migrations WHERE identifier = 'v6'",
            "DELETE FROM counters WHERE name LIKE 'http%'", "PRAGMA user_version = 5")
        #expect(try SQLiteReader(path: fixture.path).httpAnswers(HTTPSelection()).isEmpty)
        #expect(try SQLiteReader(path: fixture.path).httpTotals() == HTTPTotals())
        fixture.journal = try await SQLiteJournal.open(path: fixture.path)
        fixture.cache = try await SyncCache.open(journal: fixture.journal, clock: fixture.clock)
        fixture.client = HTTPClient(fixture.cache, transport: fixture.server, defaults: HTTPClientDefaults())
        fixture.server.answers(200, [("Cache-Control", "max-age=60")], "x")
        #expect(try await fixture.fetch("http://a.test/x", .standard).isStored)
        #expect(try await fixture.fetch("http://a.test/x", .standard).isFromCache)
        try await fixture.close()
        #expect(try SQLiteReader(path: fixture.path).verify().isSound)
    }
}
