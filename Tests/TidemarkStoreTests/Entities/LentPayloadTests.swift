import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkStore

/// The payloads that a flush reads while the store changes (laws L5, L8).
@Suite(.pooled) struct LentPayloadTests {
    private let ids = (0..<300).map { ByteString("entity \($0)") }

    private func identity<Result>(_ id: ByteString, _ body: (EntityIdentity) -> Result) -> Result {
        id.bytes.withUnsafeBytes { body(EntityIdentity(library: 0, type: 0, text: $0, seed: 7)) }
    }

    private func stamp(_ step: Int) -> EntityStamp {
        EntityStamp(sequence: EventSequence(Int64(step)), generation: 0, writtenAt: Int64(step))
    }

    /// Returns the entities in a flush.
    private func contents(_ flush: FlushBatch) -> [ByteString: [UInt8]] {
        flush.bytes.withUnsafeBytes { bytes in
            var contents: [ByteString: [UInt8]] = [:]
            for row in flush.rows { contents[ByteString(row.id(in: bytes))] = Array(row.payload(in: bytes)) }
            return contents
        }
    }

    @Test(arguments: TestScale.seeds(6))
    func `a flush under way reads its own payloads, whatever is written, removed or reduced`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var store = EntityStore(seed: 7, spareByteCountMin: 0)
        var step = 0
        func change(_ store: inout EntityStore) {
            step += 1
            let text = #"{"id":"x","a":"\#(String(repeating: "y", count: random.below(60)))","b":\#(step)}"#
            identity(random.pick(ids)) { identity in
                guard let index = store.find(identity) else {
                    Array(text.utf8).withUnsafeBytes { _ = store.insert(identity, payload: $0, stamp: stamp(step)) }
                    return
                }
                switch random.below(8) {
                case 0: store.remove(index)
                case 1: store.reduce(index, to: [Array("b".utf8)])
                case 2:
                    _ = store.evict(toByteCount: 0, seenCountMax: 5)
                    store.compact(seenCountMax: random.below(400))
                default: Array(text.utf8).withUnsafeBytes { _ = store.write(index, payload: $0, stamp: stamp(step)) }
                }
            }
        }
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 30) {
            for _ in 0..<random.below(400) { change(&store) }
            var flush = FlushBatch()
            store.takeDirty(into: &flush)
            let taken = contents(flush)
            for _ in 0..<4 {
                for _ in 0..<random.below(300) { change(&store) }
                store.checkInvariants()
                let isAsTaken = contents(flush) == taken
                #expect(isAsTaken, "\(walk)")
            }
            store.flushCommitted()
            store.checkInvariants()
            #expect(store.retired.isEmpty, "\(walk)")
        }
    }

    @Test func `an entity that is written often during one flush takes only one more block`() {
        var store = EntityStore(seed: 7)
        identity(ids[0]) { identity in
            _ = [UInt8](repeating: 1, count: 400).withUnsafeBytes {
                store.insert(identity, payload: $0, stamp: stamp(0))
            }
        }
        var flush = FlushBatch()
        store.takeDirty(into: &flush)
        let entityByteCount = store.entityByteCount
        for step in 1...1_000 {
            identity(ids[0]) { identity in
                guard let index = store.find(identity) else { return }
                _ = [UInt8](repeating: UInt8(truncatingIfNeeded: step), count: 400).withUnsafeBytes {
                    store.write(index, payload: $0, stamp: stamp(step))
                }
            }
        }
        #expect(store.retired.count == 1)
        #expect(store.entityByteCount == entityByteCount, "what only a flush reads is no entity's")
        store.flushCommitted()
        #expect(store.retired.isEmpty)
        store.checkInvariants()
    }

    @Test func `memory of removed payloads is released, and no payload changes`() {
        var random = SeededGenerator(seed: 11)
        var store = EntityStore(seed: 7, spareByteCountMin: 400 << 10)
        let ids = (0..<8_000).map { ByteString("\($0)") }
        func payload(_ number: Int) -> [UInt8] {
            [UInt8](repeating: UInt8(truncatingIfNeeded: number), count: 300 + number % 60)
        }
        func write(_ number: Int) {
            identity(ids[number]) { identity in
                payload(number).withUnsafeBytes { bytes in
                    if let index = store.find(identity) {
                        _ = store.write(index, payload: bytes, stamp: stamp(1))
                    } else {
                        store.insert(identity, payload: bytes, stamp: stamp(1))
                    }
                }
            }
        }
        for number in ids.indices { write(number) }
        var flush = FlushBatch()
        store.takeDirty(into: &flush)
        store.flushCommitted()
        // One entity in eight was used lately; a few of those are being written while the others are evicted.
        let used = ids.indices.filter { _ in random.below(8) == 0 }
        for number in used { identity(ids[number]) { if let index = store.find($0) { store.touch(index) } } }
        for number in used.prefix(100) {
            identity(ids[number]) { identity in
                guard let index = store.find(identity) else { return }
                _ = [UInt8](repeating: 0xEE, count: 333).withUnsafeBytes {
                    store.write(index, payload: $0, stamp: stamp(2))
                }
            }
        }
        flush = FlushBatch()
        store.takeDirty(into: &flush)
        let taken = contents(flush)
        let goal = store.entityByteCount / 8
        for _ in 0..<400 where store.entityByteCount > goal {
            let slice = store.evict(toByteCount: goal, seenCountMax: 256)
            store.compact(seenCountMax: slice.evictedCount * 4)
        }
        store.checkInvariants()
        // The entities evicted last are after the checked slots; commits continue, at most one time around.
        store.compact(seenCountMax: ids.count)
        store.checkInvariants()
        let (isSparse, chunks, blocks) = (
            store.arena.isSparse, store.arena.chunkByteCount, store.arena.blockByteCount
        )
        #expect(!isSparse, "\(chunks) bytes for \(blocks)")
        let isAsTaken = contents(flush) == taken
        #expect(isAsTaken)
        store.flushCommitted()
        let written = Set(used.prefix(100))
        var seenCount = 0
        var wrongCount = 0
        store.forEach { key, bytes, _ in
            seenCount += 1
            guard case .text(let text) = key.id, let number = Int(text.description), !written.contains(number) else {
                return
            }
            if !bytes.elementsEqual(payload(number)) { wrongCount += 1 }
        }
        #expect(wrongCount == 0)
        #expect(seenCount == store.count && seenCount > 500)
        store.checkInvariants()
    }

    @Test func `a flush can be read after the store is freed`() {
        func flushOfAStoreThatGoes() -> FlushBatch {
            var store = EntityStore(seed: 7)
            for id in ids {
                identity(id) { identity in
                    _ = [UInt8](repeating: 9, count: 500).withUnsafeBytes {
                        store.insert(identity, payload: $0, stamp: stamp(1))
                    }
                }
            }
            var flush = FlushBatch()
            store.takeDirty(into: &flush)
            return flush
        }
        let flush = flushOfAStoreThatGoes()
        #expect(contents(flush).values.allSatisfy { $0 == [UInt8](repeating: 9, count: 500) })
        #expect(flush.rows.count == ids.count)
    }
}
