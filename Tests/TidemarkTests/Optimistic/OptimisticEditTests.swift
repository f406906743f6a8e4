import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkTesting

private struct Note: Resource, Equatable {
    static let resourceType = "note"
    var id: String
    var text: String
    var stars: Int?
}

private struct Folder: Resource, Equatable {
    static let resourceType = "folder"
    var id: String
    var name: String
}

private struct Refused: Error {}

/// Optimistic edits with Swift types.
///
/// - Source: Protocol/optimistic.md.
@Suite(.pooled) struct OptimisticEditTests {
    private let store = MemoryJournal.Store()

    private func open() async throws -> SyncCache {
        try await SyncCache.open(journal: MemoryJournal(store: store))
    }

    /// Opens a cache that has note 1 from event 1.
    private func opened() async throws -> SyncCache {
        let cache = try await open()
        try await event(1, #"{"id":"1","text":"a","stars":1}"#, in: cache)
        return cache
    }

    private func event(
        _ sequence: Int, _ note: String, mutation: String? = nil, in cache: SyncCache
    ) async throws {
        let line = EventLine.change(note, type: "note", sequence: Int64(sequence), mutation: mutation)
        try await cache.ingest(Array(line.utf8))
    }

    private func rename(_ cache: SyncCache, _ id: String = "1", _ text: String = "b") async throws -> OptimisticEdit {
        try await cache.optimistically { try $0.patch(Note.self, id: id, ["text": text]) }
    }

    private func texts(_ cache: SyncCache, _ ids: [String] = ["1"]) async throws -> [String?] {
        var texts: [String?] = []
        for id in ids { texts.append(try await cache.entity(Note.self, id: id)?.text) }
        return texts
    }

    private func code(of body: () async throws -> Void) async throws -> CacheError.Code? {
        do {
            try await body()
            return nil
        } catch let error as CacheError {
            return error.code
        }
    }

    // MARK: Making

    @Test func `an edit is shown at once, and the server's state stays under it`() async throws {
        let cache = try await opened()
        let edit = try await rename(cache)
        #expect(try await cache.entity(Note.self, id: "1") == Note(id: "1", text: "b", stars: 1))
        #expect(await edit.state == .pending)
        try await event(2, #"{"id":"1","text":"c","stars":2}"#, in: cache)
        #expect(try await cache.entity(Note.self, id: "1") == Note(id: "1", text: "b", stars: 2))
        try await edit.rollback()
        #expect(try await cache.entity(Note.self, id: "1") == Note(id: "1", text: "c", stars: 2))
        #expect(await edit.state == nil)
    }

    @Test func `an edit that changes nothing, or whose body throws, adds no layer`() async throws {
        let cache = try await opened()
        #expect(try await code { _ = try await cache.optimistically { _ in } } == .invalidParams)
        await #expect(throws: Refused.self) {
            try await cache.optimistically {
                try $0.delete(Note.self, id: "1")
                throw Refused()
            }
        }
        #expect(await cache.pendingEdits().isEmpty)
        #expect(try await texts(cache) == ["a"])
    }

    @Test func `a given id is refused while it is pending`() async throws {
        let cache = try await opened()
        let first = try await cache.optimistically(pendingID: "p") { try $0.delete(Note.self, id: "1") }
        #expect(first.pendingID == "p")
        let second = try await code {
            _ = try await cache.optimistically(library: "other", pendingID: "p") { try $0.delete(Note.self, id: "1") }
        }
        #expect(second == .duplicatePending)
        try await first.rollback()
        _ = try await cache.optimistically(pendingID: "p") { try $0.delete(Note.self, id: "1") }
    }

    // MARK: Committing

    @Test func `a confirmed value takes the edit's place`() async throws {
        let cache = try await opened()
        let edit = try await rename(cache)
        try await edit.commit(confirmed: Note(id: "1", text: "B", stars: 1), sequence: EventSequence(2))
        #expect(try await texts(cache) == ["B"])
        #expect(await edit.state == nil)
        // The event at its place does not undo the confirmation.
        try await event(2, #"{"id":"1","text":"old","stars":1}"#, in: cache)
        #expect(try await texts(cache) == ["B"])
        try await event(3, #"{"id":"1","text":"new","stars":1}"#, in: cache)
        #expect(try await texts(cache) == ["new"])
    }

    @Test func `without a value the edit waits for its sequence`() async throws {
        let cache = try await opened()
        let edit = try await rename(cache)
        try await edit.commit(sequence: EventSequence(3))
        #expect(await edit.state == .confirmed)
        try await event(2, #"{"id":"1","text":"x"}"#, in: cache)
        #expect(try await texts(cache) == ["b"])
        try await event(3, #"{"id":"1","text":"y"}"#, in: cache)
        #expect(try await texts(cache) == ["y"])
        #expect(await edit.state == nil)
    }

    @Test func `an edit that its event has settled is left as it is`() async throws {
        let cache = try await opened()
        let edit = try await rename(cache)
        try await event(2, #"{"id":"1","text":"server"}"#, mutation: edit.pendingID, in: cache)
        #expect(await edit.state == nil)
        try await edit.commit(confirmed: Note(id: "1", text: "late"), sequence: EventSequence(2))
        try await edit.rollback()
        try await edit.commit()
        #expect(try await texts(cache) == ["server"])
    }

    @Test func `a temporary id becomes the real one`() async throws {
        let cache = try await opened()
        let edit = try await cache.optimistically { try $0.put(Note(id: "temporary", text: "n")) }
        #expect(try await texts(cache, ["temporary", "9"]) == ["n", nil])
        try await edit.commit(
            confirmed: Note(id: "9", text: "n"), sequence: EventSequence(2), realIDs: ["temporary": "9"])
        #expect(try await texts(cache, ["temporary", "9"]) == [nil, "n"])
    }

    @Test func `resources of several types are confirmed under the types that the edit names`() async throws {
        let cache = try await opened()
        let edit = try await cache.optimistically { changes in
            try changes.patch(Note.self, id: "1", ["text": "b"])
            try changes.put(Folder(id: "f", name: "n"))
        }
        try await edit.commit(
            confirmed: [Note(id: "1", text: "B"), Folder(id: "f", name: "N")], sequence: EventSequence(2))
        #expect(try await texts(cache) == ["B"])
        #expect(try await cache.entity(Folder.self, id: "f") == Folder(id: "f", name: "N"))
    }

    @Test func `a rollback includes the edits that depend on the edit`() async throws {
        let cache = try await opened()
        let first = try await cache.optimistically { try $0.put(Note(id: "2", text: "new")) }
        let second = try await cache.optimistically(dependsOn: [first]) {
            try $0.patch(Note.self, id: "2", ["text": "newer"])
        }
        let third = try await rename(cache)
        try await first.rollback()
        #expect(await second.state == nil)
        #expect(await third.state == .pending)
        #expect(try await texts(cache, ["1", "2"]) == ["b", nil])
        #expect(
            try await code {
                _ = try await cache.optimistically(dependsOn: [first]) { try $0.delete(Note.self, id: "1") }
            } == .unknownPending)
    }

    // MARK: Performing

    @Test func `a request that succeeds commits`() async throws {
        let cache = try await opened()
        let edit = try await cache.optimistically {
            try $0.patch(Note.self, id: "1", ["text": "b"])
        } perform: { edit in
            let shown = try await texts(cache)
            #expect(shown == ["b"])
            #expect(edit.changes.count == 1)
            return OptimisticConfirmation(Note(id: "1", text: "B"), sequence: EventSequence(2))
        }
        #expect(try await texts(cache) == ["B"])
        #expect(await edit.state == nil)
    }

    @Test func `a request that fails rolls back`() async throws {
        let cache = try await opened()
        await #expect(throws: Refused.self) {
            try await cache.optimistically {
                try $0.patch(Note.self, id: "1", ["text": "b"])
            } perform: { _ in
                throw Refused()
            }
        }
        #expect(try await texts(cache) == ["a"])
        #expect(await cache.pendingEdits().isEmpty)
    }

    @Test func `a request whose outcome is unknown leaves the edit pending`() async throws {
        let cache = try await opened()
        let error = await #expect(throws: OutcomeUnknownError.self) {
            try await cache.optimistically {
                try $0.patch(Note.self, id: "1", ["text": "b"])
            } perform: { _ in
                throw OutcomeUnknownError(Refused())
            }
        }
        #expect(error?.underlying is Refused)
        await #expect(throws: CancellationError.self) {
            try await cache.optimistically {
                try $0.patch(Note.self, id: "1", ["stars": 7])
            } perform: { _ in
                throw CancellationError()
            }
        }
        #expect(try await cache.entity(Note.self, id: "1") == Note(id: "1", text: "b", stars: 7))
        #expect(await cache.pendingEdits().count == 2)
    }

    @Test func `cancelling while the request is under way leaves the edit pending`() async throws {
        let cache = try await opened()
        let (begun, hasBegun) = AsyncStream.makeStream(of: Void.self)
        let (cancelled, isCancelled) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            try await cache.optimistically {
                try $0.patch(Note.self, id: "1", ["text": "b"])
            } perform: { _ in
                hasBegun.finish()
                // The error that a cancelled request throws is its own.
                await Task { for await _ in cancelled {} }.value
                throw Refused()
            }
        }
        for await _ in begun {}
        task.cancel()
        isCancelled.finish()
        await #expect(throws: Refused.self) { try await task.value }
        #expect(try await texts(cache) == ["b"])
        #expect(await cache.pendingEdits().count == 1)
    }

    @Test func `cancelling before the request is sent rolls back`() async throws {
        let cache = try await opened()
        let task = Task {
            // The task is cancelled here, before anything was sent.
            withUnsafeCurrentTask { $0?.cancel() }
            try await cache.optimistically {
                try $0.patch(Note.self, id: "1", ["text": "b"])
            } perform: { _ in
                Issue.record("it was sent")
                return OptimisticConfirmation()
            }
        }
        await #expect(throws: CancellationError.self) { try await task.value }
        #expect(try await texts(cache) == ["a"])
        #expect(await cache.pendingEdits().isEmpty)
    }

    // MARK: Restart

    @Test func `after a restart pending edits are found again, and can be sent`() async throws {
        let before = try await opened()
        let first = try await rename(before)
        let second = try await before.optimistically(library: "other") {
            try $0.put(Note(id: "2", text: "n"))
            try $0.removeField(Note.self, id: "3", "stars")
        }
        try await first.commit(sequence: EventSequence(9))
        try await before.close()

        let cache = try await open()
        let edits = await cache.pendingEdits()
        try #require(edits.count == 2)
        #expect(edits.map(\.pendingID) == [first.pendingID, second.pendingID])
        #expect(edits.map(\.library) == ["", "other"])
        #expect(edits.map(\.changes) == [first.changes, second.changes])
        #expect(await edits[0].state == .confirmed)
        #expect(await edits[1].state == .pending)
        #expect(await cache.pendingEdits(library: "other").map(\.pendingID) == [second.pendingID])
        #expect(try await texts(cache) == ["b"])
        try await edits[0].rollback()
        try await edits[1].commit(confirmed: [Note(id: "2", text: "N")], sequence: EventSequence(1))
        #expect(try await texts(cache) == ["a"])
        #expect(try await cache.entity(Note.self, id: "2", library: "other") == Note(id: "2", text: "N"))
        #expect(await cache.pendingEdits().isEmpty)
    }
}
