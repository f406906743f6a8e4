import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkStore

/// Blocks for payloads, against a dictionary of arrays.
@Suite(.pooled) struct PayloadArenaTests {
    @Test func `a block is hardly longer than its payload`() {
        var wrong: [Int] = []
        for count in 1...40_000 {
            let rounded = BlockSize.rounded(count)
            let slack = rounded - count
            if slack < 0 || (count <= 1_024 ? slack > 3 : slack * 8 >= count) { wrong.append(count) }
            // Two payloads with the same block size share chunks; no others do.
            if count <= 32 << 10 {
                let isSame = BlockSize.rounded(count - 1) == rounded
                if (BlockSize.classIndex(of: count - 1) == BlockSize.classIndex(of: count)) != isSame {
                    wrong.append(count)
                }
            }
        }
        #expect(wrong == [])
        #expect(BlockSize.rounded(0) == 4)
        #expect(BlockSize.classIndex(of: 32 << 10) == BlockSize.classCount - 1)
        #expect(BlockSize.classIndex(of: 32 << 10 + 1) == BlockSize.classCount)
    }

    @Test func `chunks grow with the memory in use, and a long block has its own chunk`() {
        #expect(BlockSize.blockCount(400, usedCount: 0) == 4)
        #expect(BlockSize.blockCount(400, usedCount: 100) == 12)
        #expect(BlockSize.blockCount(400, usedCount: 100_000) == 64)
        #expect(BlockSize.blockCount(4_096, usedCount: 100_000) == 16)
        #expect(BlockSize.blockCount(32 << 10, usedCount: 100_000) == 2)
        #expect(BlockSize.blockCount(32 << 10 + 1, usedCount: 100_000) == 1)
    }

    @Test(arguments: 1...8 as ClosedRange<UInt64>)
    func `no block that is in use is ever handed out or written`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var arena = PayloadArena()
        var model: [UInt32: [UInt8]] = [:]
        let counts = [0, 1, 4, 5, 8, 100, 435, 437, 1_024, 1_025, 5_000, 32 << 10, 40_000]
        let targetCount = random.pick([5, 100, 600])
        var walk = RandomWalk(seed: seed)
        while walk.next(of: 3_000) {
            let step = walk.step - 1
            if random.chance(model.count < targetCount ? 600 : 300) {
                let bytes = [UInt8](repeating: UInt8(truncatingIfNeeded: step), count: random.pick(counts))
                let place = arena.allocate(bytes.count)
                #expect(model[place] == nil, "seed \(seed): block \(place) is in use")
                #expect(arena.byteCount(place) == BlockSize.rounded(bytes.count))
                bytes.withUnsafeBytes { source in
                    guard let start = source.baseAddress else { return }
                    arena.address(place).copyMemory(from: start, byteCount: source.count)
                }
                model[place] = bytes
            } else if let place = model.keys.sorted().randomElement(using: &random) {
                model[place] = nil
                arena.free(place)
            }
            if step % 50 == 0 { check(arena, model, seed) }
        }
        for place in model.keys { arena.free(place) }
        arena.checkInvariants()
        #expect(arena.blockByteCount == 0)
        #expect(arena.chunkByteCount == 0, "chunks without blocks are given back")
    }

    @Test func `memory with few sizes has little unused room`() {
        var arena = PayloadArena()
        var used = 0
        for index in 0..<20_000 {
            let count = 380 + index % 40
            _ = arena.allocate(count)
            used += count
        }
        #expect(arena.chunkByteCount - used < used / 20)
    }

    private func check(_ arena: borrowing PayloadArena, _ model: [UInt32: [UInt8]], _ seed: UInt64) {
        arena.checkInvariants()
        for (place, bytes) in model {
            let found = UnsafeRawBufferPointer(start: arena.address(place), count: bytes.count)
            if !bytes.isSame(as: found) { Issue.record("seed \(seed): block \(place) was written") }
        }
        #expect(arena.blockByteCount == model.values.reduce(0) { $0 + BlockSize.rounded($1.count) })
    }
}
