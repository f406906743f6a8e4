import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

private struct Picture: PatchableResource, Equatable {
    static let resourceType = "picture"
    static let conventions = ResourceConventions(names: .snakeCase, dates: .millisecondsSince1970)
    static var fieldNames: [PartialKeyPath<Picture>: String] {
        [\.takenAt: "taken_at", \.imageURL: "imageURL", \.lens: "lens", \.title: "title"]
    }

    struct Lens: Codable, Equatable { var makerName: String }

    var id: String
    var takenAt: Date?
    var imageURL: String?
    var lens: Lens?
    var rawValue: JSONValue?
    var extraFields: [String: JSONValue]?
    var title: String?
}

@Suite(.pooled) struct ConventionTests {
    private let made = Date(timeIntervalSince1970: 1_714_979_289.25)

    private func text(_ value: some Resource) throws -> String {
        String(decoding: try ResourceCoder().encode(value), as: UTF8.self)
    }

    private func picture(_ text: String) throws -> Picture {
        try ResourceCoder().decode(Picture.self, Array(text.utf8))
    }

    private func error(_ text: String) -> ResourceDecodingError? {
        do throws(ResourceDecodingError) {
            _ = try ResourceCoder().decode(Picture.self, Array(text.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test func `several capitals in a row are one word, in both directions`() throws {
        let picture = Picture(id: "1", imageURL: "x")
        #expect(try text(picture) == #"{"id":"1","image_url":"x"}"#)
        #expect(try self.picture(#"{"id":"1","image_url":"x"}"#) == picture)
    }

    @Test func `only snake case is read`() throws {
        #expect(try picture(#"{"id":"1","takenAt":5,"imageURL":"x","imageUrl":"x"}"#) == Picture(id: "1"))
    }

    @Test func `values of any kind are unchanged at any depth`() throws {
        let json =
            #"{"extra_fields":{"someName":{"someName":1.10},"some_name":[1.0]},"id":"1","raw_value":{"aB":1e5,"a_b":2.0}}"#
        let picture = try picture(json)
        #expect(picture.extraFields?["someName"]?.text == #"{"someName":1.10}"#)
        #expect(picture.rawValue?.text == #"{"aB":1e5,"a_b":2.0}"#)
        let written = try text(picture)
        #expect(written == json)
    }

    @Test func `an error names the field on the wire and the stored value`() {
        let wrong = error(#"{"id":"1","lens":{"maker_name":7}}"#)
        #expect(wrong?.field.description == "/lens/maker_name")
        #expect(wrong?.value == 7)
        #expect(error(#"{"id":"1","lens":{}}"#)?.field.description == "/lens/maker_name")
        let date = error(#"{"id":"1","taken_at":"2024-05-06T07:08:09Z"}"#)
        #expect(date?.field.description == "/taken_at")
        #expect(date?.value == "2024-05-06T07:08:09Z")
    }

    @Test func `a null for a custom date is reported without a call of its function`() {
        struct Dated: Resource {
            static let resourceType = "dated"
            static let conventions = ResourceConventions(
                dates: .custom(decode: { _ in Date(timeIntervalSince1970: 0) }, encode: { _, _ in }))
            var id: String
            var at: Date
        }
        #expect(throws: ResourceDecodingError.self) {
            try ResourceCoder().decode(Dated.self, Array(#"{"id":"1","at":null}"#.utf8))
        }
        #expect(throws: Never.self) { try ResourceCoder().decode(Dated.self, Array(#"{"id":"1","at":{}}"#.utf8)) }
    }

    @Test func `conventions belong to one type, and a query's input has none`() throws {
        struct Plain: Resource {
            static let resourceType = "plain"
            var id: String
            var takenAt: Date
        }
        #expect(try text(Plain(id: "1", takenAt: made)) == #"{"id":"1","takenAt":"2024-05-06T07:08:09.250Z"}"#)
        #expect(
            String(decoding: try ResourceCoder().encode(["someInput": 1]), as: UTF8.self) == #"{"someInput":1}"#)
    }

    private func stored(_ cache: SyncCache) async throws -> String {
        let read = try await cache.read(EntityKey(library: "", type: "picture", id: "1"), fields: nil)
        return String(decoding: try #require(read.entity), as: UTF8.self)
    }

    @Test func `a cache stores, patches, shows and watches a resource by its conventions`() async throws {
        let cache = try await SyncCache.open(journal: MemoryJournal())
        try await cache.put([Picture(id: "1", takenAt: made, title: "a")], method: "pictures.list")
        #expect(try await stored(cache) == #"{"id":"1","taken_at":1714979289250,"title":"a"}"#)
        #expect(try await cache.entity(Picture.self, id: "1") == Picture(id: "1", takenAt: made, title: "a"))

        try await cache.transaction {
            try $0.patch(Picture.self, id: "1") {
                $0.set(\.takenAt, to: Date(timeIntervalSince1970: 2))
                $0.set(\.lens, to: Picture.Lens(makerName: "b"))
            }
        }
        #expect(
            try await stored(cache) == #"{"id":"1","taken_at":2000,"title":"a","lens":{"maker_name":"b"}}"#)

        struct Change: Encodable { var takenAt: Date }
        try await cache.transaction {
            try $0.patch(Picture.self, id: "1", Change(takenAt: Date(timeIntervalSince1970: 3)), unset: ["title"])
        }
        let seen = Picture(id: "1", takenAt: Date(timeIntervalSince1970: 3), lens: Picture.Lens(makerName: "b"))
        let list = try await cache.query(Picture.self, method: "pictures.list", policy: .cacheOnly)
        #expect(list.items == [seen])
        var updates = try cache.observe(Picture.self, method: "pictures.list", policy: .cacheOnly).makeAsyncIterator()
        #expect(try await updates.next()?.items == [seen])
        let edit = try await cache.optimistically { try $0.patch(Picture.self, id: "1", Change(takenAt: made)) }
        #expect(try await updates.next()?.items.map(\.takenAt) == [made])
        try await edit.commit(confirmed: Picture(id: "1", takenAt: made))
        #expect(try await stored(cache).contains(#""taken_at":1714979289250"#))
        try await cache.close()
    }

    @Test func `a name that is not in snake case is refused where a field is named for it`() async throws {
        let cache = try await SyncCache.open(journal: MemoryJournal())
        try await cache.put(Picture(id: "1"))
        let error = await #expect(throws: CacheError.self) {
            try await cache.transaction { try $0.patch(Picture.self, id: "1") { $0.set(\.imageURL, to: "x") } }
        }
        #expect(error?.code == .invalidParams)
        #expect(error?.message.contains("write image_url") == true)
        #expect(try await stored(cache) == #"{"id":"1"}"#)
        try await cache.close()
    }
}
