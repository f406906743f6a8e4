import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkSQLite
import TidemarkTesting

// The code of the article, word for word, in its order.

struct Photo: Resource, Equatable {
    static let resourceType = "photo"
    var id: String
    var name: String
    var size: UInt64
    var rating: Int?
}

struct Shot: Resource, Equatable {
    static let resourceType = "shot"
    static let conventions = ResourceConventions(names: .snakeCase, dates: .secondsSince1970)
    var id: String
    var takenAt: Date
}

extension Photo: PatchableResource {
    static var fieldNames: [PartialKeyPath<Photo>: String] { [\.name: "name", \.rating: "rating"] }
}

struct PhotoServer: QueryUpstream {
    /// Asks the server, by whatever means.
    var answer: @Sendable (_ method: String, _ input: JSONValue) async -> [JSONValue]

    func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult {
        let input: JSONValue
        do throws(JSONSyntaxError) { input = try JSONValue(parsing: query.input.bytes) } catch { input = .null }
        let photos = await answer(query.method.description, input)
        return QueryResult(resourceType: "photo", resources: photos.map(\.bytes))
    }
}

struct PhotoMutations: MutationUpstream {
    /// Performs a mutation once, by its id, and returns the stored photo; nil when the server cannot be reached.
    var perform: @Sendable (_ pendingID: String, _ input: [UInt8]) async -> Photo?

    func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
        guard let photo = await perform(mutation.pendingID.description, mutation.input) else {
            throw UpstreamError("the server cannot be reached")
        }
        do throws(CacheError) {
            return try OptimisticCommit(OptimisticConfirmation(photo), to: mutation)
        } catch {
            throw UpstreamError("the answer cannot be used: \(error)", isRefusal: true)
        }
    }
}

@Suite(.pooled) struct TutorialTests {
    @Test func `the service of the article behaves as the article says`() async throws {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let path = folder.path("cache.db")

        let cache = try await SyncCache.open(path: path)  // such as "photos.db"

        let lines = #"""
            {"sequence":1,"event":{"ResourceChanged":{"resource_type":"photo","resource":{"id":"1","name":"Sea","size":3}}}}
            {"sequence":2,"event":{"ResourceChanged":{"resource_type":"photo","resource":{"id":"2","name":"Shore","size":5}}}}
            """#
        try await cache.ingest(Array(lines.utf8))
        try await cache.flush()

        let shot = Shot(id: "9", takenAt: Date(timeIntervalSince1970: 1_714_979_289))
        try await cache.put(shot)
        #expect(try await cache.entity(Shot.self, id: "9") == shot)
        let key = EntityKey(library: "", type: "shot", id: "9")
        let stored = try await cache.read(key, fields: nil).entity
        #expect(stored == Array(#"{"id":"9","taken_at":1714979289}"#.utf8))

        let sea = try await cache.entity(Photo.self, id: "1")
        print(sea?.name ?? "no such photo")
        #expect(sea == Photo(id: "1", name: "Sea", size: 3))

        let album = ["album": "7"]
        try await cache.put(
            [Photo(id: "2", name: "Shore", size: 5), Photo(id: "1", name: "Sea", size: 3)],
            method: "photos.list", input: album)
        let photos = try await cache.query(Photo.self, method: "photos.list", input: album, policy: .cacheOnly)
        print(photos.items.map(\.name), photos.isStale)
        #expect(photos.items.map(\.name) == ["Shore", "Sea"])
        #expect(!photos.isStale)

        let recent = try await cache.entity(Photo.self, id: "1", maxAges: ["photo.rating": 60])
        print(recent?.rating ?? 0)
        var configuration = CacheConfiguration()
        configuration.policy = CachePolicy([CachePolicy.Rules("photo", maxAge: 3_600, fields: ["rating": 60])])
        #expect(recent?.name == "Sea")

        let updates = try cache.observe(Photo.self, method: "photos.list", input: album, policy: .cacheOnly)
        let watching = Task {
            var names: [[String]] = []
            for try await update in updates {
                names.append(update.items.map(\.name))
                if names.count == 2 { break }
            }
            return names
        }
        // The article's reader sees the change whenever it begins; this one must have begun in order to compare both
        // lists.
        while await cache.statistics().observerCount == 0, !Task.isCancelled { await Task.yield() }

        try await cache.transaction { transaction in
            try transaction.put(Photo(id: "3", name: "Dune", size: 8))
            try transaction.patch(Photo.self, id: "1", ["name": "Open sea", "rating": 5])
            try transaction.delete(Photo.self, id: "2")
        }
        #expect(try await watching.value == [["Shore", "Sea"], ["Open sea"]])
        #expect(try await cache.entity(Photo.self, id: "1")?.rating == 5)
        #expect(try await cache.entity(Photo.self, id: "2") == nil)

        let edit = try await cache.optimistically { changes in
            try changes.patch(Photo.self, id: "1") {
                $0.set(\.name, to: "Deep sea")
                $0.set(\.rating, to: 4)
            }
        }
        let deepSea = Photo(id: "1", name: "Deep sea", size: 3, rating: 4)
        #expect(try await cache.entity(Photo.self, id: "1") == deepSea)
        #expect(await edit.state == .pending)

        try await edit.commit(
            confirmed: Photo(id: "1", name: "Deep sea", size: 3, rating: 4), sequence: EventSequence(3))
        #expect(try await cache.entity(Photo.self, id: "1") == deepSea)
        #expect(await edit.state == nil)

        try await cache.optimistically { changes in
            try changes.delete(Photo.self, id: "3")
        } perform: { edit in
            // Sends edit.changes; the server says that it is number 4 in its log.
            OptimisticConfirmation(sequence: EventSequence(4))
        }
        #expect(try await cache.entity(Photo.self, id: "3") == nil)

        for edit in await cache.pendingEdits() {
            print(edit.pendingID, edit.changes.count, await edit.state == .confirmed)
        }
        #expect(await cache.pendingEdits().map(\.changes.count) == [1])

        try await cache.invalidate(Photo.self)
        let stale = try await cache.query(
            Photo.self, method: "photos.list", input: album, policy: .cacheOnly, allowsStale: true)
        print(stale.isStale)
        #expect(stale.isStale)

        try await cache.close()
    }

    @Test func `an edit of the article is sent, and the stored photo takes its place`() async throws {
        let server = PhotoMutations { _, input in
            input == Array(#"{"id":"1","name":"Calm sea"}"#.utf8) ? Photo(id: "1", name: "Calm sea", size: 4) : nil
        }
        let cache = try await SyncCache.inMemory(mutationUpstream: server)
        try await cache.put(Photo(id: "1", name: "Sea", size: 3))

        var request = MutationRequest(method: "photos.rename", input: ["id": "1", "name": "Calm sea"])
        request.key = "photo 1"
        try await cache.optimistically(sending: request) { changes in
            try changes.patch(Photo.self, id: "1", ["name": "Calm sea"])
        }
        for status in await cache.outboxStatuses() { print(status.pendingID, status.state) }

        while await !cache.outboxStatuses().isEmpty {
            try Task.checkCancellation()
            await Task.yield()
        }
        #expect(try await cache.entity(Photo.self, id: "1") == Photo(id: "1", name: "Calm sea", size: 4))
        try await cache.close()
    }

    @Test func `the server of the article answers its requests`() async throws {
        let server = PhotoServer { method, input in [["id": "1", "method": .string(method), "input": input]] }
        let result = try await server.fetch(
            try QueryKey(library: "", method: "photos.list", input: Array(#"{ "album": "7" }"#.utf8)))
        #expect(result.resourceType == "photo")
        #expect(
            result.resources.map { String(decoding: $0, as: UTF8.self) }
                == [#"{"id":"1","method":"photos.list","input":{"album":"7"}}"#])
    }
}
