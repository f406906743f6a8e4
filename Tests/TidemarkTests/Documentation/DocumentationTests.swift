import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit

/// The examples of docstrings, word for word, so that they compile. `TutorialTests` has those of the article.
private enum DocstringExamples {
    struct Photo: Resource {
        static let resourceType = "photo"
        var id: String
        var name: String
        var size: UInt64
    }

    struct Shot: Resource {
        static let resourceType = "shot"
        static let conventions = ResourceConventions(names: .snakeCase, dates: .secondsSince1970)
        var id: String
        var takenAt: Date  // "taken_at":1714979289
    }

    struct PhotoID: ResourceID, Codable, RawRepresentable {
        var rawValue: String
    }

    struct Album: Resource {
        static let resourceType = "album"
        var id: PhotoID
    }

    static func values() throws {
        let photo = try JSONValue(parsing: Array(#"{"id":"1","size":18446744073709551615,"tags":["sea"]}"#.utf8))
        print(photo["size"]?.uint64 ?? 0)  // 18446744073709551615
        print(photo["tags"]?[0]?.string ?? "")  // sea
        print(photo.text)  // {"id":"1","size":18446744073709551615,"tags":["sea"]}
    }

    static func registry(_ cache: SyncCache) async throws {
        let registry = ResourceRegistry([Photo.self, Album.self])
        for value in try await cache.entities(type: "photo", registry: registry).values {
            switch value {
            case .known(let resource): print((resource as? Photo)?.name ?? "")
            case .unknown(let type, let value): print(type, value["name"]?.string ?? "")
            }
        }
    }

    static func reading(_ cache: SyncCache) async throws {
        let photo = try await cache.entity(Photo.self, id: "1")
        print(photo?.name ?? "")
    }

    static func sending(_ cache: SyncCache) async throws {
        let rename = MutationRequest(method: "photos.rename", input: ["id": "1", "name": "Open sea"])
        try await cache.optimistically(sending: rename) { changes in
            try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
        }
    }

    static func request() -> MutationRequest {
        var request = MutationRequest(method: "photos.rename", input: ["id": "1", "name": "Open sea"])
        request.key = "photo 1"
        return request
    }

    static func readingTogether(_ cache: SyncCache) async throws {
        let (sea, shore) = try await cache.readTransaction { transaction in
            (try await transaction.read(Photo.self, id: "1"), try await transaction.read(Photo.self, id: "2"))
        }
        print(sea?.name ?? "", shore?.name ?? "")
    }

    static func listing(_ cache: SyncCache) async throws {
        let photos = try await cache.query(
            Photo.self, method: "photos.list", input: ["album": "7"], policy: .networkFirst)
        print(photos.items.count, photos.isStale)
    }

    static func watchingList(_ cache: SyncCache) async throws {
        let photos = try cache.observe(Photo.self, method: "photos.list", input: ["album": "7"])
        for try await update in photos {
            print(update.items.map(\.name), update.isStale)
        }
    }

    static func watchingEntity(_ cache: SyncCache) async throws {
        for try await update in cache.observe(Photo.self, id: "1") {
            print(update.value?.name ?? "gone", update.changedFields)
        }
    }

    @MainActor func show(_ cache: SyncCache) throws {
        let photos = QueryModel(try cache.observe(Photo.self, method: "photos.list"))
        photos.start()
        // In SwiftUI: List(photos.items) { Text($0.name) }
        photos.stop()
    }

    static func changing(_ cache: SyncCache) async throws {
        try await cache.transaction { transaction in
            try transaction.put(Photo(id: "1", name: "Sea", size: 3))
            try transaction.patch(Photo.self, id: "2", ["name": "Shore"])
            try transaction.delete(Photo.self, id: "3")
        }
        try await cache.transaction { transaction in
            try transaction.patch(Photo.self, id: "1", ["name": "Sea", "rating": 5], unset: ["draft"])
        }
        try await cache.put([Photo(id: "1", name: "Sea", size: 3)], method: "photos.list", timeToLive: .seconds(60))
    }
}

private enum OptimisticExamples {
    struct Server: Sendable {
        func save(_ changes: [TransactionOperation], _ pendingID: String) async throws -> Photo {
            Photo(id: "1", name: "Open sea", size: 3)
        }
    }

    static func editing(_ cache: SyncCache) async throws {
        let edit = try await cache.optimistically { changes in
            try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
        }
        try await edit.commit(confirmed: Photo(id: "1", name: "Open sea", size: 3), sequence: EventSequence(8))
    }

    static func making(_ cache: SyncCache) async throws {
        let edit = try await cache.optimistically { changes in
            try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
            try changes.delete(Photo.self, id: "2")
        }
        try await edit.rollback()
    }

    static func performing(_ cache: SyncCache, _ server: Server) async throws {
        try await cache.optimistically { changes in
            try changes.patch(Photo.self, id: "1", ["name": "Open sea"])
        } perform: { edit in
            OptimisticConfirmation(try await server.save(edit.changes, edit.pendingID))
        }
    }

    static func resending(_ cache: SyncCache) async {
        for edit in await cache.pendingEdits() where await edit.state == .pending {
            print(edit.pendingID, edit.changes)
        }
    }

    static func patching(_ cache: SyncCache) async throws {
        try await cache.transaction { transaction in
            try transaction.patch(Photo.self, id: "1") {
                $0.set(\.name, to: "Sea")
                $0.unset(\.rating)
            }
        }
    }
}

@Suite(.pooled) struct DocumentationTests {
    private static let root = ProtocolVector.protocolFolder.deletingLastPathComponent()

    private static func files(in folder: String, _ ending: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
            .filter { $0.hasSuffix(ending) }.map { folder + "/" + $0 }.sorted()
    }

    private static func lines(_ path: String) throws -> [String] {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8).components(separatedBy: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Returns the blocks of Swift in a text, without indentation; an ellipsis marks a sketch, which no compiler reads.
    private static func blocks(in lines: [String]) -> [[String]] {
        var blocks: [[String]] = []
        var block: [String]?
        for line in lines {
            if line == "```swift" {
                block = []
            } else if line == "```", let finished = block {
                blocks.append(finished)
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks
    }

    private static func holds(_ lines: [String], _ block: [String]) -> Bool {
        lines.indices.contains { lines[$0...].starts(with: block) }
    }

    private static let compiled = [
        "Tests/TidemarkTests/Documentation/TutorialTests.swift",
        "Tests/TidemarkTests/Documentation/DocumentationTests.swift",
        "Tests/TidemarkServiceTests/SyncCacheServiceTests.swift", "Tests/TidemarkCombineTests/QueryObjectTests.swift",
    ]

    @Test func `all code of the article is compiled`() throws {
        let tests = try DocumentationTests.lines(DocumentationTests.compiled[0])
        let articles = try DocumentationTests.files(in: "Sources/Tidemark/Tidemark.docc", ".md")
        let blocks = try articles.flatMap { DocumentationTests.blocks(in: try DocumentationTests.lines($0)) }
        #expect(blocks.count >= 10)
        for block in blocks {
            #expect(DocumentationTests.holds(tests, block), "no test holds \(block.joined(separator: "\n"))")
        }
    }

    @Test(arguments: [
        "JSON", "Resources", "Observation", "Optimistic", "Outbox", "../TidemarkService", "../TidemarkCombine",
    ])
    func `all examples of docstrings are compiled`(folder: String) throws {
        let tests = try DocumentationTests.compiled.map(DocumentationTests.lines)
        for file in try DocumentationTests.files(in: "Sources/Tidemark/" + folder, ".swift") {
            let comments = try DocumentationTests.lines(file).filter { $0.hasPrefix("///") }
                .map { $0.dropFirst(3).trimmingCharacters(in: .whitespaces) }
            for block in DocumentationTests.blocks(in: comments) {
                #expect(
                    tests.contains { DocumentationTests.holds($0, block) },
                    "\(file): no test holds \(block.joined(separator: "\n"))")
            }
        }
    }
}
