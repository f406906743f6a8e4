import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

private struct Song: Resource, Equatable {
    static let resourceType = "song"
    var id: Int
    var name: String
}

/// The Swift interface over a whole cache.
@Suite(.pooled) struct SwiftInterfaceTests {
    private func open(_ configure: (inout CacheConfiguration) -> Void = { _ in }) async throws -> SyncCache {
        var configuration = CacheConfiguration()
        configure(&configuration)
        return try await SyncCache.open(configuration: configuration, journal: MemoryJournal())
    }

    private func code(of body: () async throws -> Void) async throws -> CacheError.Code? {
        do {
            try await body()
            return nil
        } catch let error as CacheError {
            return error.code
        }
    }

    @Test func `an entity that was put is read in its library`() async throws {
        let cache = try await open()
        try await cache.put(Song(id: 1, name: "a"))
        try await cache.put(Song(id: 1, name: "b"), library: "other")
        #expect(try await cache.entity(Song.self, id: 1) == Song(id: 1, name: "a"))
        #expect(try await cache.entity(Song.self, id: 1, library: "other") == Song(id: 1, name: "b"))
        #expect(try await cache.entity(Song.self, id: 2) == nil)
    }

    @Test func `without a library the configured default is used`() async throws {
        let cache = try await open { $0.defaultLibrary = "home" }
        try await cache.put(Song(id: 1, name: "a"))
        #expect(try await cache.entity(Song.self, id: 1, library: "home") == Song(id: 1, name: "a"))
        #expect(try await cache.entity(Song.self, id: 1, library: "") == nil)
    }

    @Test func `a stored resource of another shape is an error that names the field`() async throws {
        let cache = try await open()
        try await cache.ingest(
            Array(EventLine.change(#"{"id":1,"name":false}"#, type: "song").utf8))
        let error = await #expect(throws: ResourceDecodingError.self) { try await cache.entity(Song.self, id: 1) }
        #expect(error?.field.description == "/name")
        #expect(error?.value == false)
        #expect(error?.id == "1")
    }

    @Test func `a transaction that throws changes nothing`() async throws {
        struct Stop: Error {}
        let cache = try await open()
        await #expect(throws: Stop.self) {
            try await cache.transaction { transaction in
                try transaction.put(Song(id: 1, name: "a"))
                throw Stop()
            }
        }
        let code = try await code {
            try await cache.transaction { transaction in
                try transaction.put(Song(id: 2, name: "b"))
                try transaction.patch(Song.self, id: 3, ["name": "c"])
            }
        }
        #expect(code == .invalidParams)
        #expect(try await cache.entity(Song.self, id: 1) == nil)
        #expect(try await cache.entity(Song.self, id: 2) == nil)
    }

    @Test func `a patch leaves the other fields as they are`() async throws {
        let cache = try await open()
        try await cache.ingest(
            Array(EventLine.change(#"{"id":1,"name":"a","x":1.10,"y":2}"#, type: "song").utf8))
        try await cache.transaction { transaction in
            try transaction.patch(Song.self, id: 1, ["name": "b"], unset: ["y"])
        }
        guard case .found(let stored) = try await cache.entity(EntityKey(type: "song", id: "1")) else {
            Issue.record("the song is gone")
            return
        }
        let value = try JSONValue(parsing: stored.bytes)
        #expect(value["name"] == "b")
        #expect(value["x"]?.number?.text == "1.10")
        #expect(value["y"] == nil)
    }

    @Test func `a list is read in its order, and is one query whatever the order of its input's members`() async throws
    {
        let cache = try await open()
        let songs = [Song(id: 2, name: "b"), Song(id: 1, name: "a")]
        try await cache.put(songs, method: "songs.list", input: ["x": 1, "y": 2] as JSONValue)
        let list = try await cache.query(
            Song.self, method: "songs.list", input: ["y": 2, "x": 1] as JSONValue, policy: .cacheOnly)
        #expect(list.items == songs)
        #expect(!list.isStale)
        let code = try await code {
            _ = try await cache.query(Song.self, method: "songs.list", input: ["x": 2], policy: .cacheOnly)
        }
        #expect(code == .cacheMiss)
    }

    @Test func `an observed list follows transactions and turns stale`() async throws {
        let cache = try await open()
        try await cache.put([Song(id: 1, name: "a"), Song(id: 2, name: "b")], method: "songs.list")
        var updates = try cache.observe(Song.self, method: "songs.list", policy: .cacheOnly).makeAsyncIterator()
        #expect(try await updates.next()?.items.map(\.name) == ["a", "b"])
        try await cache.transaction { transaction in
            try transaction.patch(Song.self, id: 2, ["name": "c"])
            try transaction.delete(Song.self, id: 1)
        }
        let changed = try await updates.next()
        #expect(changed?.items == [Song(id: 2, name: "c")])
        var list = [Song(id: 1, name: "a"), Song(id: 2, name: "b")]
        for change in changed?.changes ?? [] { change.apply(to: &list) }
        #expect(list == changed?.items)
        #expect(try await cache.invalidate(Song.self) == 1)
        let stale = try await updates.next()
        #expect(stale?.isStale == true)
        #expect(stale?.changes.isEmpty == true)
        #expect(stale?.items == [Song(id: 2, name: "c")])
    }

    @Test func `an observed entity follows its changes`() async throws {
        let cache = try await open()
        try await cache.put(Song(id: 1, name: "a"))
        var updates = cache.observe(Song.self, id: 1).makeAsyncIterator()
        #expect(try await updates.next()?.value == Song(id: 1, name: "a"))
        try await cache.put(Song(id: 1, name: "b"))
        let update = try await updates.next()
        #expect(update?.value == Song(id: 1, name: "b"))
        #expect(update?.changedFields == ["name"])
    }

    @Test func `an observation ends with its task`() async throws {
        let cache = try await open()
        try await cache.put([Song(id: 1, name: "a")], method: "songs.list")
        let observation: QueryObservation<Song> = try cache.observe(
            Song.self, method: "songs.list", policy: .cacheOnly)
        let task = Task { for try await _ in observation {} }
        while await cache.statistics().observerCount == 0, !Task.isCancelled { await Task.yield() }
        task.cancel()
        try await task.value
        #expect(await cache.statistics().observerCount == 0)
    }

    @Test func `invalidating a method and an input marks one query`() async throws {
        let cache = try await open()
        for input in 1...3 { try await cache.put([Song](), method: "songs.list", input: ["n": input]) }
        try await cache.put([Song](), method: "songs.other")
        #expect(try await cache.invalidate(method: "songs.list", input: ["n": 2]) == 1)
        #expect(try await cache.invalidate(method: "songs.list") == 2)
        #expect(try await cache.invalidate(Song.self) == 1)
        #expect(try await cache.invalidate(Song.self) == 0)
    }

    @Test func `removed and cleared entities are absent`() async throws {
        let cache = try await open()
        for id in 1...3 {
            try await cache.put(Song(id: id, name: "a"))
            try await cache.put(Song(id: id, name: "a"), library: "other")
        }
        #expect(try await cache.remove(Song.self, ids: [1, 9]) == 1)
        #expect(try await cache.entity(Song.self, id: 1) == nil)
        try await cache.clear("other")
        #expect(try await cache.entity(Song.self, id: 2, library: "other") == nil)
        #expect(try await cache.entity(Song.self, id: 2) != nil)
        try await cache.clear()
        #expect(try await cache.entity(Song.self, id: 2) == nil)
    }

    @Test func `entities of a type come in pages, as their Swift type or as JSON`() async throws {
        let cache = try await open()
        for id in 1...5 { try await cache.put(Song(id: id, name: "n\(id)")) }
        let registry = ResourceRegistry([Song.self])
        var songs: [Song] = []
        var after: EntityKey?
        repeat {
            let page = try await cache.entities(type: "song", registry: registry, after: after, countMax: 2)
            songs += page.values.compactMap { if case .known(let song) = $0 { song as? Song } else { nil } }
            after = page.next
        } while after != nil
        #expect(songs.map(\.id) == [1, 2, 3, 4, 5])
        let page = try await cache.entities(type: "song", countMax: 1)
        guard case .unknown("song", let value)? = page.values.first else {
            Issue.record("nobody registered songs")
            return
        }
        #expect(value["name"] == "n1")
    }
}
