import TestTraits
import Testing
import TidemarkModel

@testable import TidemarkStore

/// The parts of a cache's state, each by itself.
@Suite(.pooled) struct StatePartTests {
    private func identity(_ id: ByteString, library: LibraryIndex = 0) -> EntityIdentity {
        let text = id.bytes
        return text.withUnsafeBytes { bytes in
            // A UUID is held in the identity itself: no text outlives this closure.
            EntityIdentity(
                library: library, type: 0, uuid: UUIDValue(high: Checksum.xxh64(bytes, seed: 1), low: 1), seed: 1)
        }
    }

    private func key(_ id: ByteString, library: LibraryIndex = 0) -> StoredKey {
        StoredKey(library: library, type: 0, id: .text(id))
    }

    // MARK: Libraries

    private func admit(_ name: ByteString, to libraries: inout Libraries) -> LibraryIndex? {
        name.bytes.withUnsafeBytes { libraries.admit($0) }
    }

    @Test func `a library gets a number once, and an entry with it`() {
        var limits = Limits()
        limits.libraryCountMax = 2
        var libraries = Libraries(recovered: [], limits: limits)
        #expect(admit("home", to: &libraries) == 0)
        #expect(admit("work", to: &libraries) == 1)
        #expect(admit("home", to: &libraries) == 0)
        #expect(admit("third", to: &libraries) == nil)
        #expect(libraries.count == 2 && Array(libraries.indexes) == [0, 1])
        #expect(libraries.index(of: "work") == 1 && libraries.index(of: "third") == nil)
        #expect(libraries.name(of: 1) == "work")
        #expect(libraries.contains(1) && !libraries.contains(2))
    }

    @Test func `names go to the journal once, and again when it lost its data`() {
        var libraries = Libraries(recovered: [], limits: Limits())
        _ = admit("home", to: &libraries)
        #expect(libraries.hasNewNames)
        #expect(libraries.drainNewNames().map(\.name) == ["home"])
        #expect(!libraries.hasNewNames)
        #expect(libraries.drainNewNames().isEmpty)
        libraries[0].isChanged = false
        libraries.markAllUnwritten()
        #expect(libraries[0].isChanged && libraries.drainNewNames().map(\.index) == [0])
    }

    @Test func `a library is watched once, and until it misses nothing`() {
        var libraries = Libraries(recovered: [], limits: Limits())
        _ = admit("home", to: &libraries)
        libraries.watch(0)
        libraries.watch(0)
        libraries[0].isUrgent = true
        #expect(libraries.watched == [0])
        #expect(libraries[0].isComplete)
        libraries.endWatchingComplete()
        #expect(libraries.watched.isEmpty && !libraries[0].isWatched && !libraries[0].isUrgent)
    }

    @Test func `sums are over all libraries`() {
        var libraries = Libraries(recovered: [], limits: Limits())
        _ = admit("home", to: &libraries)
        _ = admit("work", to: &libraries)
        libraries[0].entityCount = 3
        libraries[1].entityCount = 4
        #expect(libraries.sum(\.entityCount) == 7)
    }

    // MARK: Types

    @Test func `an alias has the number of its type`() {
        var types = ResourceTypes(recovered: ["file"], aliases: ["File": "file"], countMax: 10)
        func admit(_ name: ByteString) -> TypeIndex? { name.bytes.withUnsafeBytes { types.admit($0) } }
        #expect(types.index(of: "File") == 0 && types.index(of: "file") == 0)
        #expect(types.index(ofOwnName: "File") == nil)
        #expect(admit("photo") == 1)
        #expect(admit("File") == 0)
        #expect(types.lastIndex == 0 && types.name(of: 1) == "photo")
        #expect(ByteString("File").bytes.withUnsafeBytes { types.recent($0) } == 0)
        #expect(ByteString("file").bytes.withUnsafeBytes { types.recent($0) } == nil)
        #expect(types.hasUnruled)
        types.resolveRules(CacheStateConfiguration())
        #expect(!types.hasUnruled)
        #expect(types.drainNewNames().map(\.name) == ["photo"])
    }

    // MARK: Residency

    private func residency(_ entityCount: Int64) -> Residency {
        var recovered = RecoveredState()
        recovered.libraries = [
            LibraryRecord(
                index: 0, name: "home", epoch: nil, generation: 0, cursor: nil, isStale: false, lost: [],
                entityCount: entityCount)
        ]
        return Residency(recovered: recovered, limits: Limits())
    }

    @Test func `absent entities are those that the journal has and memory has not`() {
        var residency = residency(2)
        #expect(residency.hasAbsent && residency.absentCount == 2)
        residency.noteLoaded()
        residency.noteEvictedFromMemory()
        residency.noteLoaded()
        residency.forgetAbsent(key("a"))
        #expect(!residency.hasAbsent && residency.isForgotten(key("a")))
        residency.noteEvictedFromMemory(3)
        #expect(residency.absentCount == 3)
    }

    @Test func `a forgotten key counts as absent until the journal has removed its row`() {
        var residency = residency(0)
        residency.forget(key("a"))
        var flush = FlushBatch()
        residency.drain(into: &flush)
        residency.forget(key("b"))
        #expect(residency.isForgotten(key("a")) && residency.isForgotten(key("b")))
        residency.flushCommitted()
        #expect(!residency.isForgotten(key("a")) && residency.isForgotten(key("b")))
    }

    @Test func `a cleared library is forgotten whole, and written once`() {
        var residency = residency(5)
        _ = residency.noteEvicted(identity("a"))
        residency.clear(0, absentCount: 5)
        residency.clear(0, absentCount: 0)
        #expect(!residency.hasAbsent && residency.isForgotten(key("any")) && !residency.wasEvicted(identity("a")))
        // Compared, because `#expect` would copy the owner of a bare property.
        #expect(residency.isUnwritten == true)
        var flush = FlushBatch()
        residency.drain(into: &flush)
        #expect(flush.clearedLibraries == [0])
        #expect(residency.isUnwritten == false)
    }

    @Test func `an evicted entity is known again when it is stored or deleted`() {
        var residency = residency(0)
        #expect(residency.noteEvicted(identity("a")) == nil)
        #expect(residency.hasEvicted && residency.wasEvicted(identity("a")) && residency.changeCount == 1)
        residency.noteKnown(identity("a"))
        #expect(!residency.hasEvicted && !residency.wasEvicted(identity("a")))
    }

    @Test func `a journal that lost its data has no absent entities`() {
        var residency = residency(2)
        residency.forget(key("a"))
        #expect(residency.journalLost() == true)
        #expect(!residency.hasAbsent && !residency.isForgotten(key("a")))
        #expect(residency.journalLost() == false)
    }

    // MARK: Quarantine

    @Test func `records that a lost journal had come before all others`() {
        func record(_ line: Int64) -> QuarantineRecord {
            QuarantineRecord(
                kind: .line, reason: .notJSON, line: line, offset: 0, library: nil, sequence: nil, receivedAt: 0,
                bytes: [], byteCount: 0)
        }
        var quarantine = QuarantineChanges()
        quarantine.append(record(2))
        quarantine.restore([record(1)])
        quarantine.remove(nil)
        #expect(!quarantine.hasRemoved && quarantine.count == 2)
        quarantine.remove(7)
        #expect(quarantine.hasRemoved)
        var flush = FlushBatch()
        quarantine.drain(into: &flush)
        #expect(flush.quarantine.map(\.line) == [1, 2] && flush.quarantineRemoved == [7])
        #expect(quarantine.count == 0 && !quarantine.hasRemoved)
    }
}
