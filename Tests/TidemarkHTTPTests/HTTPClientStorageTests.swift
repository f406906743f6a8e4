import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTesting

/// The answers that a client stores, and their removal.
@Suite(.pooled) struct HTTPClientStorageTests {
    @Test func `no-store is stored under no policy`() async throws {
        let fixture = try await HTTPFixture()
        for rules in [CacheRules.standard, .only(.enabled), .only([.etag, .loadIfOffline])] {
            fixture.server.answers(200, [("ETag", "\"1\"")], "old")
            _ = try await fixture.fetch("http://a.test/x", .only(.etag))
            fixture.server.answers(200, [("Cache-Control", "no-store")], "secret")
            let direct = try await fixture.fetch("http://a.test/x", .only(.etag))
            #expect(direct.text == "secret" && !direct.isStored)
            fixture.server.fails(.offline)
            await #expect(throws: CacheError.self) { try await fixture.fetch("http://a.test/x", rules) }
        }
        try await fixture.close()
    }

    @Test func `a 404 removes the stored answer under the options`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("ETag", "\"1\"")], "old")
        _ = try await fixture.fetch()
        fixture.server.answers(404)
        #expect(try await fixture.fetch().head.status == 404)
        fixture.server.fails(.offline)
        await #expect(throws: CacheError.self) { try await fixture.fetch("http://a.test/x", .only(.loadIfOffline)) }
        try await fixture.close()
    }

    @Test(arguments: ["POST", "PUT", "DELETE", "PATCH"])
    func `an unsafe method removes the answers of its URL under every policy`(method: String) async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("Cache-Control", "max-age=60"), ("Location", "/y")], "old")
        _ = try await fixture.fetch()
        _ = try await fixture.fetch("http://a.test/y")
        _ = try await fixture.fetch("http://a.test/x", .only([]), method: method)
        #expect(try await fixture.client.list(HTTPSelection(), after: nil, countMax: 10).entries.isEmpty)
        try await fixture.close()
    }

    @Test func `answers of a session end with it, also after a crash`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("Cache-Control", "max-age=60")], "x")
        _ = try await fixture.fetch(storage: .session)
        _ = try await fixture.fetch("http://a.test/y")
        #expect(try await fixture.fetch("http://a.test/x", .standard, storage: .session).isFromCache)
        #expect(try await !fixture.fetch("http://a.test/x", .standard, storage: .permanent).isFromCache)
        try await fixture.reopen()
        let before = fixture.server.asked.count
        #expect(try await !fixture.fetch("http://a.test/x", .only(.enabled), storage: .session).isFromCache)
        #expect(try await fixture.fetch("http://a.test/y", .only(.enabled)).isFromCache)
        #expect(fixture.server.asked.count == before + 1)
        try await fixture.close()
    }

    /// A copy of the files while they are open is what a process that is killed leaves.
    @Test func `a process that is killed leaves no answer of its session`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [("Cache-Control", "max-age=60")], "x")
        _ = try await fixture.fetch(storage: .session)
        _ = try await fixture.fetch("http://a.test/y")
        let left = fixture.folder.path + "/left.db"
        for end in ["", "-wal"] {
            try FileManager.default.copyItem(atPath: fixture.path + end, toPath: left + end)
        }
        let journal = try await SQLiteJournal.open(path: left)
        let cache = try await SyncCache.open(journal: journal, clock: fixture.clock)
        let client = HTTPClient(cache, transport: OfflineTransport(), defaults: HTTPClientDefaults())
        #expect(try await client.fetch(try fixture.request("http://a.test/y", .only(.enabled))).isFromCache)
        await #expect {
            try await client.fetch(try fixture.request("http://a.test/x", .only(.enabled), storage: .session))
        } throws: { ($0 as? CacheError)?.code == .offline }
        let entries = try await client.list(HTTPSelection(), after: nil, countMax: 9).entries
        #expect(entries.map(\.url) == ["http://a.test/y"])
        await client.close()
        try await cache.close()
        try await fixture.close()
    }

    @Test func `a disabled storage removes what is stored`() async throws {
        let fixture = try await HTTPFixture()
        fixture.server.answers(200, [], "x")
        _ = try await fixture.fetch()
        let passed = try await fixture.fetch(storage: .disabled)
        #expect(passed.status.text == "tidemark; fwd=bypass" && !passed.isStored)
        #expect(try await fixture.client.list(HTTPSelection(), after: nil, countMax: 10).entries.isEmpty)
        try await fixture.close()
    }

    @Test func `the least recently used answers go when there are too many bytes`() async throws {
        let fixture = try await HTTPFixture()
        var limits = HTTPLimits()
        limits.byteCountMax = 1_500
        let journal: any HTTPJournal = fixture.journal
        await journal.limitHTTP(limits)
        for number in 0..<20 {
            fixture.server.answers(200, [], String(repeating: "\(number)", count: 300))
            fixture.pass(1)
            _ = try await fixture.fetch("http://a.test/\(number)")
            _ = try await fixture.fetch("http://a.test/0", .only(.enabled))
        }
        let entries = try await fixture.client.list(HTTPSelection(), after: nil, countMax: 100).entries
        #expect(entries.map(\.storedByteCount).reduce(0, +) <= 1_500)
        #expect(entries.contains { $0.url == "http://a.test/0" } && entries.contains { $0.url == "http://a.test/19" })
        #expect(!entries.contains { $0.url == "http://a.test/1" })
        try await fixture.close()
    }
}
