import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkStore

/// The remembered keys of entities that were evicted from both tiers, against a plain list. Law: L8.
@Suite(.pooled) struct EvictedKeysTests {
    private func withIdentity(_ id: Int, _ body: (EntityIdentity) -> Void) {
        let key = StoredKey(
            library: LibraryIndex(id % 3), type: 0,
            id: id % 2 == 0 ? .uuid(UUIDValue(high: 1, low: UInt64(id))) : .text(ByteString("k\(id)")))
        key.withIdentity(seed: 9, body)
    }

    @Test(arguments: 1...16 as ClosedRange<UInt64>)
    func `the newest keys are remembered, and the same ones after their log was read`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let countMax = random.pick([1, 5, 40, 3_000])
        let idCount = random.pick([3, 60, 5_000])
        var keys = EvictedKeys(countMax: countMax)
        // The oldest is first; an id that returned leaves a place that counts until it is the oldest.
        var model: [Int?] = []
        var log: [EvictedRecord] = []
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 4_000) {
            let id = random.below(idCount)
            switch random.below(10) {
            case 0...5:
                var forgotten: LibraryIndex?
                withIdentity(id) { forgotten = keys.insert($0) }
                if let old = model.firstIndex(of: id) { model[old] = nil }
                model.append(id)
                let oldest = model.count > countMax ? model.removeFirst() : nil
                #expect(forgotten == oldest.map { LibraryIndex($0 % 3) }, "\(walk)")
            case 6, 7:
                withIdentity(id) { keys.remove($0) }
                if let old = model.firstIndex(of: id) { model[old] = nil }
            case 8 where random.below(50) == 0:
                keys.removeAll(of: LibraryIndex(id % 3))
                for (place, other) in model.enumerated() where other.map({ $0 % 3 == id % 3 }) ?? false {
                    model[place] = nil
                }
            default:
                let changes = keys.drainChanges()
                if changes.replacesAll { log = [] }
                log += changes.records
                #expect(log.count <= 2 * keys.count + 1_024 + 4_000 / 10, "\(walk)")
            }
        }
        let changes = keys.drainChanges()
        if changes.replacesAll { log = [] }
        log += changes.records
        let again = EvictedKeys(countMax: countMax, recovered: log)
        let remembered = Set(model.compactMap { $0 })
        #expect(keys.count == remembered.count, "seed \(seed)")
        for id in 0..<idCount {
            withIdentity(id) {
                #expect(keys.contains($0) == remembered.contains(id), "seed \(seed), id \(id)")
                // Places that the log no longer names evict nothing: more keys may be remembered, never fewer.
                if remembered.contains(id) { #expect(again.contains($0), "seed \(seed), id \(id)") }
            }
        }
    }

    @Test func `keys of a library or a type that is not there are passed over`() {
        var recovered = RecoveredState()
        recovered.libraries = [
            LibraryRecord(
                index: 0, name: "a", epoch: nil, generation: 0, cursor: EventSequence(9), isStale: false, lost: [],
                entityCount: 3)
        ]
        recovered.types = ["file"]
        recovered.evicted = [EvictedRecord(library: 5, hash: 1), EvictedRecord(library: 5, hash: 2)]
        var limits = Limits()
        limits.evictedKeyCountMax = 1
        let state = CacheState(
            configuration: CacheStateConfiguration(limits: limits), recovered: recovered, seed: 1)
        func row(_ library: LibraryIndex, _ type: TypeIndex) -> StoredRowAge {
            StoredRowAge(
                stored: StoredRow(key: StoredKey(library: library, type: type, id: .text("x")), row: 1), writtenAt: 0)
        }
        let found = state.evictable([row(7, 0), row(0, 7), row(0, 0)], countMax: 10)
        #expect(found.whole.map(\.key.library) == [0] && found.whole.map(\.key.type) == [0])
        #expect(found.reducible == [])
    }

    @Test func `a hash is the same in every process, and another one for every library, type and id`() {
        let keys = [
            StoredKey(library: 0, type: 0, id: .text("a")), StoredKey(library: 1, type: 0, id: .text("a")),
            StoredKey(library: 0, type: 1, id: .text("a")), StoredKey(library: 0, type: 0, id: .text("b")),
            StoredKey(library: 0, type: 0, id: .uuid(UUIDValue(high: 0, low: 1))),
        ]
        #expect(Set(keys.map(\.lastingHash)).count == keys.count)
        for key in keys {
            let hashes = [1, 2, 3].map { seed in key.withIdentity(seed: seed) { $0.lastingHash } }
            #expect(hashes == [key.lastingHash, key.lastingHash, key.lastingHash])
        }
        // The hash is written into data files: a change of it makes all files forget their evicted keys.
        #expect(keys[0].lastingHash == 5_413_421_539_926_166_384)
    }
}
