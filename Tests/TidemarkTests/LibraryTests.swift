import Testing
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkTesting

/// What the README shows of the library.
@Suite struct LibraryTests {
    @Test func `a cache that is opened by its path keeps what it was given`() async throws {
        let folder = try TemporaryFolder()
        let cache = try await SyncCache.open(path: folder.path("cache.db"))
        try await cache.ingest(
            Array(#"{"ResourceChanged":{"resource_type":"file","resource":{"id":"1","name":"a"}}}"#.utf8))
        try await cache.flush()
        try await cache.close()

        let reopened = try await SyncCache.open(path: folder.path("cache.db"))
        let answer = try await reopened.entity(EntityKey(type: "file", id: "1"))
        guard case .found(let resource) = answer else {
            Issue.record("not found: \(answer)")
            return
        }
        #expect(String(decoding: resource.bytes, as: UTF8.self) == #"{"id":"1","name":"a"}"#)
        #expect(try await reopened.entity(EntityKey(type: "file", id: "2")) == .missing(.absent))
        try await reopened.close()
    }
}
