import TestTraits
import Testing
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkSQLite
import TidemarkTesting

private struct Song: Resource, Equatable {
    static let resourceType = "song"
    var id: String
    var name: String
    var rating: Int
}

/// Policies and ages as programs use them: every import is of a product, and nothing with package access is used.
@Suite(.pooled) struct PolicyInterfaceTests {
    private func open(_ policy: CachePolicy, in folder: TemporaryFolder) async throws -> SyncCache {
        var configuration = CacheConfiguration()
        configuration.policy = policy
        return try await SyncCache.open(path: folder.path + "/cache.db", configuration: configuration)
    }

    private static let code = CachePolicy([
        CachePolicy.Rules("song", fields: ["rating": 0], cascades: ["album": "album"])
    ])

    @Test func `a policy from a schema equals one made in code`() async throws {
        let schema = try CachePolicy(
            graphQL: """
                type song { rating: Int @cacheControl(maxAge: 0)  album: album @cacheControl(cascadeDeletion: true) }
                type album { id: ID }
                """)
        for policy in [schema, PolicyInterfaceTests.code] {
            let folder = try TemporaryFolder()
            let cache = try await open(policy, in: folder)
            try await cache.transaction { transaction in
                try transaction.put(type: "song", ["id": "1", "name": "Sea", "rating": 5, "album": "9"])
                try transaction.put(type: "album", ["id": "9"])
            }
            #expect(try await cache.entity(Song.self, id: "1") == nil)
            let read = try await cache.read(EntityRequest(EntityKey(type: "song", id: "1")))
            #expect(read.miss == .expired)
            #expect(read.expired?.field == "rating" && read.expired?.maxAge == 0)
            #expect(
                try await cache.entity(Song.self, id: "1", maxStale: .seconds(3_600))
                    == Song(id: "1", name: "Sea", rating: 5))
            #expect(try await cache.entity(Song.self, id: "1", maxAges: ["song.rating": 3_600]) != nil)
            #expect(try await cache.entity(Song.self, id: "1", maxAges: ["song.rating": 3_600, "song.name": 0]) == nil)
            let rating = try await cache.explain(EntityKey(type: "song", id: "1")).fields.first { $0.name == "rating" }
            #expect(rating?.maxAge == 0 && rating?.rule == .schemaField && rating?.isStale == true)
            let name = try await cache.explain(EntityKey(type: "song", id: "1"), maxAges: ["song": 60]).fields
                .first { $0.name == "name" }
            #expect(name?.maxAge == 60 && name?.rule == .operationType && name?.isStale == false)
            try await cache.transaction { try $0.delete(Song.self, id: "1") }
            #expect(try await cache.read(EntityRequest(EntityKey(type: "album", id: "9"))).miss == .deleted)
            try await cache.close()
        }
    }

    @Test func `every error of a schema is reported with its place`() throws {
        do throws(GraphQLErrors) {
            _ = try CachePolicy(
                graphQL: Array("type a @cacheControl { x: Int }\ntype b { y: Int @cacheControl(maxAge: -1) }".utf8))
            Issue.record("two errors were none")
        } catch {
            #expect(error.count == 2)
            #expect(error.errors.map(\.line) == [1, 2])
            #expect(error.errors.map(\.code) == [.emptyDirective, .negativeAge])
            #expect(error.errors.first?.column == 8)
            #expect(error.description.split(separator: "\n").count == 2)
        }
    }

    @Test func `an observation that refreshes reports staleness`() async throws {
        let folder = try TemporaryFolder()
        let cache = try await open(PolicyInterfaceTests.code, in: folder)
        try await cache.put(Song(id: "1", name: "Sea", rating: 5))
        var updates = cache.observe(Song.self, id: "1", maxStale: .seconds(3_600), refreshes: true).makeAsyncIterator()
        let first = try await updates.next()
        #expect(first?.value?.rating == 5 && first?.isStale == true)
        try await cache.put([Song(id: "1", name: "Sea", rating: 5)], method: "songs")
        let list = try await cache.query(Song.self, method: "songs", policy: .cacheOnly, maxAges: ["song.rating": 60])
        #expect(list.items.count == 1 && !list.isStale)
        var lists = try cache.observe(
            Song.self, method: "songs", policy: .cacheOnly, maxAges: ["song.rating": 60], refreshes: true
        ).makeAsyncIterator()
        #expect(try await lists.next()?.isStale == false)
        try await cache.close()
    }
}
