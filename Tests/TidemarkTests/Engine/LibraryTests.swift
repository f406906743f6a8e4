import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// The examples of the README for the library.
@Suite(.pooled) struct LibraryTests {
    @Test func `a cache that is opened by its path keeps its entities`() async throws {
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

    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var stars: Int
    }

    @Test func `the example of the README works`() async throws {
        let folder = try TemporaryFolder()
        let cache = try await SyncCache.open(path: folder.path("cache.db"))
        try await cache.put([Photo(id: "1", stars: 4)], method: "photos.best", input: ["limit": 10])
        let best = try cache.observe(Photo.self, method: "photos.best", input: ["limit": 10])
        let line = #"{"ResourceChanged":{"resource_type":"photo","resource":{"id":"1","stars":5}}}"#
        try await cache.ingest(Array(line.utf8))
        try await cache.flush()  // durable from here on
        for try await update in best {
            #expect(update.items.map(\.stars) == [5])
            break
        }
        try await cache.close()

        let root = ProtocolVector.protocolFolder.deletingLastPathComponent()
        let page = try String(contentsOf: root.appending(path: "README.md"), encoding: .utf8)
        let own = try String(contentsOfFile: #filePath, encoding: .utf8)
        let shown = page.split(separator: "```swift").dropFirst().flatMap {
            $0.prefix { $0 != "`" }.split(separator: "\n")
        }
        .map { $0.trimmingCharacters(in: .whitespaces) }.filter {
            $0.hasPrefix("try await ") || $0.hasPrefix("let best") || $0.hasPrefix("let line")
        }
        #expect(shown.count == 5, "\(shown)")
        for line in shown { #expect(own.contains(line), "the README says \(line)") }
    }
}
