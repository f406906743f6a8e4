import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

@Suite(.pooled) struct BlockPackersTests {
    /// Returns blocks of random payloads, of which some hardly compress.
    private func blocks(_ count: Int, seed: UInt64) -> [FilledBlock] {
        var random = SeededGenerator(seed: seed)
        return (1...count).map { number in
            var cache = SmallCache()
            for entity in 0..<1 + random.below(BlockCodec.entityCountMax - 1) {
                let noise = random.next() % (1 << UInt64(random.below(64)))
                cache.put(
                    EntityKey(library: "a", type: "t", id: ByteString("e\(entity)")),
                    #"{"id":"e\#(entity)","n":\#(noise)}"#)
            }
            let flush = cache.take()
            var builder = BlockBuilder(library: 0, type: 0)
            flush.bytes.withUnsafeBytes { bytes in
                for row in flush.rows { builder.add(BlockEntity(row, in: bytes)) }
            }
            return builder.take(number: Int64(number), ordinal: number, dictionary: nil)
        }
    }

    @Test(arguments: [1, 2, 4], [1, 2, 15, 40])
    func `blocks have the same bytes and order, whatever the number of threads`(
        packerCount: Int, blockCount: Int
    ) throws {
        let filled = blocks(blockCount, seed: UInt64(blockCount))
        let one = try BlockPacker()
        let wanted = filled.map { $0.packed(by: one).bytes }
        let packers = try BlockPackers(packerCount: packerCount)
        for _ in 0..<4 { #expect(packers.pack(filled).map(\.bytes) == wanted) }
    }

    @Test func `no block makes no block`() throws {
        #expect(try BlockPackers(packerCount: 2).pack([]).isEmpty)
    }
}
