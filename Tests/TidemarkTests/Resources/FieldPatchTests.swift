import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

private struct Track: PatchableResource {
    static let resourceType = "track"
    static var fieldNames: [PartialKeyPath<Track>: String] {
        [
            \.id: "id", \.name: "title", \.rating: "rating", \.length: "length", \.made: "made", \.more: "more",
            \.tags: "tags",
        ]
    }

    var id: String
    var name: String
    var rating: Int?
    var length: Double
    var made: Date
    var more: JSONValue?
    var tags: [String]
    var secret: Int?
}

/// Patches whose fields are named by key paths.
@Suite(.pooled) struct FieldPatchTests {
    /// Returns a stored track after a patch, as text.
    private func patched(_ body: (inout FieldPatch<Track>) -> Void) async throws -> String {
        let cache = try await SyncCache.open(journal: MemoryJournal())
        try await cache.ingest(
            Array(
                EventLine.change(#"{"id":"1","title":"a","rating":1,"x":1.10}"#, type: "track")
                    .utf8))
        try await cache.transaction { try $0.patch(Track.self, id: "1", body) }
        let read = try await cache.read(EntityKey(library: "", type: "track", id: "1"), fields: nil)
        return String(decoding: try #require(read.entity), as: UTF8.self)
    }

    @Test func `set and unset name fields as they are on the wire, and leave the others`() async throws {
        let text = try await patched {
            $0.set(\.name, to: "b")
            $0.unset(\.rating)
            $0.set(\.tags, to: ["x", "y"])
        }
        #expect(text == #"{"id":"1","title":"b","x":1.10,"tags":["x","y"]}"#)
    }

    @Test func `nil is written as null`() async throws {
        #expect(try await patched { $0.set(\.rating, to: nil) } == #"{"id":"1","title":"a","rating":null,"x":1.10}"#)
    }

    @Test func `values are written as in resources`() async throws {
        let more = try JSONValue(parsing: Array(#"{"n":1.10}"#.utf8))
        let text = try await patched {
            $0.set(\.made, to: Date(timeIntervalSince1970: 0))
            $0.set(\.more, to: more)
        }
        #expect(
            text
                == #"{"id":"1","title":"a","rating":1,"x":1.10,"made":"1970-01-01T00:00:00Z","more":{"n":1.10}}"#)
    }

    @Test func `the last change of a field counts`() async throws {
        let text = try await patched {
            $0.set(\.name, to: "b")
            $0.unset(\.name)
            $0.unset(\.rating)
            $0.set(\.rating, to: 2)
            $0.set(\.rating, to: 3)
        }
        #expect(text == #"{"id":"1","rating":3,"x":1.10}"#)
    }

    @Test func `a key path without a name is refused, and the error names the type`() async throws {
        let error = await #expect(throws: CacheError.self) { try await patched { $0.set(\.secret, to: 1) } }
        #expect(error?.code == .invalidParams)
        #expect(error?.message.contains("Track has no name for the key path") == true)
        #expect(error?.message.contains("Track.fieldNames") == true)
        await #expect(throws: CacheError.self) { try await patched { $0.unset(\.secret) } }
    }

    @Test func `a value without a JSON form is refused, and the error names the field`() async throws {
        let error = await #expect(throws: CacheError.self) { try await patched { $0.set(\.length, to: .infinity) } }
        #expect(error?.code == .invalidParams)
        #expect(error?.message.hasPrefix("Track.length: ") == true)
    }

    @Test func `the id cannot be patched`() async throws {
        let error = await #expect(throws: CacheError.self) { try await patched { $0.set(\.id, to: "2") } }
        #expect(error?.code == .invalidParams)
    }
}
