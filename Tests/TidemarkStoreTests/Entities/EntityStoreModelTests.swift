import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// The entity table against a dictionary and an array, with few ids and one hash seed, so that chains are long and
/// slots are used again. Laws: L1, L9.
@Suite(.pooled, .tags(.model)) struct EntityStoreModelTests {
    private struct Row: Equatable {
        var payload: [UInt8]
        var stamp: EntityStamp
    }

    /// The expected content of the store.
    private struct Model {
        /// The entities in memory and in the journal.
        var all: [StoredKey: Row] = [:]
        /// The keys in memory, the most recently used first.
        var recent: [StoredKey] = []
        var dirty: Set<StoredKey> = []
        /// The keys of the last flush, until the journal has committed it.
        var underWay: Set<StoredKey> = []
        /// The entities in the journal after the committed flushes.
        var journal: [Int64: (key: StoredKey, row: Row)] = [:]

        mutating func touch(_ key: StoredKey) {
            recent.removeAll { $0 == key }
            recent.insert(key, at: 0)
        }
    }

    @Test(arguments: 1...12 as ClosedRange<UInt64>)
    func `random writes, removals, evictions and flushes leave the content of a dictionary`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let idCount = random.pick([3, 20, 200, 1_500])
        let weights = (0..<6).map { _ in 1 + random.below(10) }
        var store = EntityStore(seed: 7, spareByteCountMin: 0)
        var model = Model()
        var walk = RandomWalk(seed: seed)
        while walk.next(of: idCount > 1_000 ? 1_500 : 300) {
            let step = walk.step - 1
            let key = key(random.below(idCount))
            let stamp = EntityStamp(
                sequence: random.chance(100) ? nil : EventSequence(Int64(step)), generation: UInt32(random.below(3)),
                writtenAt: Int64(step))
            let payload = [UInt8](repeating: UInt8(step & 0x7F), count: random.pick([0, 1, 15, 16, 17, 100, 900]))
            withIdentity(key) { identity in
                switch random.weighted(weights) {
                case 0, 1: put(identity, key, Row(payload: payload, stamp: stamp), &store, &model)
                case 2: remove(identity, key, &store, &model)
                case 3:
                    if let index = store.find(identity) {
                        store.touch(index)
                        model.touch(key)
                    }
                case 4:
                    let seenCountMax = random.pick([1, 3, 1_000])
                    evict(random.below(400), seenCountMax: seenCountMax, &store, &model)
                    store.compact(seenCountMax: random.pick([0, 3, 1_000]))
                default:
                    // The journal may commit the last flush some time before the next one is taken.
                    if !model.underWay.isEmpty, random.chance(500) {
                        store.flushCommitted()
                        model.underWay = []
                    } else {
                        flush(&store, &model)
                    }
                }
            }
            store.checkInvariants()
            if idCount < 1_000 || step % 25 == 0 { check(store, model, seed, step) }
        }
        flush(&store, &model)
        #expect(
            Dictionary(model.journal.values.map { ($0.key, $0.row) }, uniquingKeysWith: { $1 }) == model.all,
            "seed \(seed)")
        #expect(model.journal.count == model.all.count, "seed \(seed)")
    }

    private func put(
        _ identity: EntityIdentity, _ key: StoredKey, _ row: Row, _ store: inout EntityStore, _ model: inout Model
    ) {
        if store.find(identity) == nil, let stored = model.journal.first(where: { $0.value.key == key }),
            model.all[key] != nil
        {
            _ = stored.value.row.payload.withUnsafeBytes {
                store.install(identity, payload: $0, stamp: stored.value.row.stamp, row: stored.key)
            }
            model.touch(key)
        }
        row.payload.withUnsafeBytes { bytes in
            if let index = store.find(identity) {
                let isChanged = store.write(index, payload: bytes, stamp: row.stamp)
                #expect(isChanged == (model.all[key]?.payload != row.payload))
            } else {
                store.insert(identity, payload: bytes, stamp: row.stamp)
            }
        }
        model.all[key] = row
        model.dirty.insert(key)
        model.touch(key)
    }

    private func remove(_ identity: EntityIdentity, _ key: StoredKey, _ store: inout EntityStore, _ model: inout Model)
    {
        guard let index = store.find(identity) else { return }
        store.remove(index)
        model.all[key] = nil
        model.dirty.remove(key)
        model.underWay.remove(key)
        model.recent.removeAll { $0 == key }
    }

    private func evict(_ byteCount: Int, seenCountMax: Int, _ store: inout EntityStore, _ model: inout Model) {
        var slice = store.evict(
            toByteCount: max(0, store.entityByteCount - byteCount), seenCountMax: seenCountMax)
        #expect(slice.seenCount <= seenCountMax)
        // An entity that must stay moves to the recent end, so that the next slice begins after it.
        for key in Array(model.recent.reversed().prefix(slice.seenCount)) {
            model.recent.removeAll { $0 == key }
            if model.dirty.contains(key) || model.underWay.contains(key) {
                model.recent.insert(key, at: 0)
            } else {
                slice.evictedCount -= 1
            }
        }
        #expect(slice.evictedCount == 0)
    }

    private func flush(_ store: inout EntityStore, _ model: inout Model) {
        var flush = FlushBatch()
        store.takeDirty(into: &flush)
        #expect(flush.rows.map(\.row) == flush.rows.map(\.row).sorted())
        #expect(Set(flush.rows.map(\.row)).count == flush.rows.count)
        for row in flush.rows {
            let id = Array(flush.bytes[row.idOffset..<row.idOffset + row.idCount])
            let uuid = row.isUUID ? id.withUnsafeBytes { UUIDValue(bytes: $0) } : nil
            let key = StoredKey(
                library: row.library, type: row.type, id: uuid.map { .uuid($0) } ?? .text(ByteString(id)))
            let stamp = EntityStamp(sequence: row.sequence, generation: row.generation, writtenAt: row.writtenAt)
            let payload = flush.bytes.withUnsafeBytes { Array(row.payload(in: $0)) }
            switch row.change {
            case .insert:
                #expect(model.journal[row.row] == nil)
                model.journal[row.row] = (key, Row(payload: payload, stamp: stamp))
            case .update:
                #expect(model.journal[row.row]?.key == key)
                model.journal[row.row] = (key, Row(payload: payload, stamp: stamp))
            case .stamp:
                #expect(model.journal[row.row]?.key == key)
                model.journal[row.row]?.row.stamp = stamp
            case .delete:
                #expect(model.journal[row.row]?.key == key)
                model.journal[row.row] = nil
            }
        }
        model.underWay = model.dirty
        model.dirty = []
        #expect(store.dirtyCount == 0)
    }

    private func check(_ store: borrowing EntityStore, _ model: Model, _ seed: UInt64, _ step: Int) {
        var found: [StoredKey: Row] = [:]
        store.forEach { key, payload, stamp in found[key] = Row(payload: Array(payload), stamp: stamp) }
        let inMemory = Set(model.recent)
        let isEqual = found == model.all.filter { inMemory.contains($0.key) } && store.count == inMemory.count
        #expect(isEqual, "seed \(seed), step \(step)")
    }

    /// Returns a key: a third each are UUIDs, texts, and texts with a common beginning, over two libraries and types.
    private func key(_ number: Int) -> StoredKey {
        let id: StoredID =
            switch number % 3 {
            case 0: .uuid(UUIDValue(high: UInt64(number), low: 0))
            case 1: .text(ByteString("\(number)"))
            default: .text(ByteString("the same beginning of an id that is long \(number)"))
            }
        return StoredKey(library: LibraryIndex(number / 3 % 2), type: TypeIndex(number / 6 % 2), id: id)
    }

    private func withIdentity(_ key: StoredKey, _ body: (EntityIdentity) -> Void) {
        switch key.id {
        case .uuid(let value): body(EntityIdentity(library: key.library, type: key.type, uuid: value, seed: 7))
        case .text(let text):
            text.bytes.withUnsafeBytes {
                body(EntityIdentity(library: key.library, type: key.type, text: $0, seed: 7))
            }
        }
    }
}
