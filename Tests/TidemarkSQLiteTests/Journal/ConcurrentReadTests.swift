import Dispatch
import Synchronization
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// Reads of single entities beside the other work of a journal.
@Suite(.pooled) struct ConcurrentReadTests {
    private let folder: TemporaryFolder
    private let entities = MovedEntities(seed: 21)

    init() throws { folder = try TemporaryFolder() }

    private func key(_ id: StoredID, _ name: EntityKey, _ state: RecoveredState) -> StoredKey {
        StoredKey(
            library: LibraryIndex(state.libraries.firstIndex { $0.name == name.library } ?? 0),
            type: TypeIndex(state.types.firstIndex(of: name.type) ?? 0), id: id)
    }

    @Test func `a read of one entity does not wait for the work of the journal's queue`() async throws {
        try await entities.write(to: folder.file())
        let journal = try await MovedEntities.open(folder.file(), from: 1)
        let state = try await journal.recover()
        let (name, payload) = try #require(entities.states.last?.first)
        let key = key(StoredID(name.id), name, state)
        let isRead = DispatchSemaphore(value: 0)
        let (stops, stopped) = AsyncStream<Void>.makeStream()
        let index = try #require(FieldIndex("file./turn"))
        async let built: Void = journal.changeIndexes(FieldIndexChanges(added: [index])) { _ in
            // The queue of the journal stands still until the entity was read.
            stopped.yield()
            isRead.wait()
            isRead.signal()
        }
        for await _ in stops { break }
        let found = try await journal.read(key)
        #expect(found.map { ByteString($0.payload).description } == payload)
        isRead.signal()
        try await built
        try await journal.close()
    }

    @Test func `a read sees every commit that returned, and a closed journal answers none`() async throws {
        let journal = try await MovedEntities.open(folder.file(), from: 1)
        for (flush, expected) in zip(entities.flushes, entities.states.dropFirst()) {
            try await journal.commit(flush)
            // The names of the first flush are those of all.
            let state = RecoveredState(of: entities)
            for (name, payload) in expected {
                let found = try await journal.read(key(StoredID(name.id), name, state))
                #expect(found.map { ByteString($0.payload).description } == payload)
            }
        }
        let state = RecoveredState(of: entities)
        let name = try #require(entities.states.last?.keys.first)
        let key = key(StoredID(name.id), name, state)
        try await journal.close()
        await #expect(throws: StorageError.self) { try await journal.read(key) }
    }

    @Test func `a damaged entity counts as absent, and is reported once for each read`() async throws {
        try await entities.write(to: folder.file())
        try await MovedEntities.open(folder.file(), from: 1).close()
        SQLiteShell.run(
            folder.file(),
            ["UPDATE blocks SET body = CAST(substr(body, 1, length(body) - 8) || zeroblob(8) AS BLOB) WHERE number = 1"]
        )
        let reported = Reported()
        let journal = try await MovedEntities.open(folder.file(), from: 1) { row in
            reported.rows.withLock { $0.append(row) }
        }
        let state = try await journal.recover()
        var absent = 0
        for name in try #require(entities.states.last).keys {
            if try await journal.read(key(StoredID(name.id), name, state)) == nil { absent += 1 }
        }
        #expect(absent > 0)
        #expect(reported.rows.withLock { $0.count } == absent)
        try await journal.close()
    }

    private final class Reported: Sendable {
        let rows = Mutex<[DamagedRow]>([])
    }
}

extension RecoveredState {
    /// The names that a file of these flushes has.
    fileprivate init(of entities: MovedEntities) {
        self.init()
        for flush in entities.flushes {
            for (index, name) in flush.newLibraries {
                libraries.append(
                    LibraryRecord(
                        index: index, name: name, epoch: nil, generation: 0, cursor: nil, isStale: false, lost: [],
                        entityCount: 0))
            }
            types += flush.newTypes.map(\.name)
        }
    }
}
