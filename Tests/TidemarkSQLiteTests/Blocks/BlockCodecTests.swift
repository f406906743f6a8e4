import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// Blocks that are written and read; and bytes that are no block.
@Suite(.pooled) struct BlockCodecTests {
    private let unpacker: BlockUnpacker
    private let dictionary = BlockFixture.makeDictionary()

    init() throws { unpacker = try BlockUnpacker() }

    private func content(
        _ bytes: [UInt8], number: Int64 = 9, dictionaries: [Int64: PayloadDictionary]? = nil
    ) -> Result<BlockContent, PayloadError> {
        Result { () throws(PayloadError) in
            try BlockContent(bytes, number: number, unpacker: unpacker, dictionaries: dictionaries ?? [3: dictionary])
        }
    }

    private func entities(_ content: BlockContent) throws -> [BlockStoredEntity] {
        try content.directory.entries.indices.map { try content.entity(at: $0) }
    }

    @Test(arguments: 1...20, [false, true]) func `entities are read as they were written`(
        seed: Int, usesDictionary: Bool
    ) throws {
        var fixture = BlockFixture(seed: seed)
        let count = [1, 2, 45, 127][fixture.random.below(4)]
        let written = fixture.entities(count)
        let bytes = try fixture.block(
            of: written, number: 1 << 40, ordinal: BlockPlace.ordinalMax,
            dictionary: usesDictionary ? self.dictionary : nil)
        let content = try content(bytes, number: 1 << 40).get()
        let read = try entities(content)
        #expect(read == written, "seed \(seed)")
        let head = content.directory.head
        #expect(head.ordinal == BlockPlace.ordinalMax)
        #expect(head.count == count)
        #expect(head.library == fixture.library && head.type == fixture.type)
        #expect(usesDictionary ? head.codec != .zstd : head.codec != .zstdWithDictionary)
    }

    @Test func `a copied entity keeps its check, whatever is copied beside it`() throws {
        var fixture = BlockFixture(seed: 3)
        let written = fixture.entities(60)
        let first = try content(try fixture.block(of: written)).get()
        var builder = BlockBuilder(library: fixture.library, type: fixture.type)
        // Another order has other differences of stamps.
        for position in (0..<60).reversed() where position % 3 > 0 {
            _ = first.withStored(at: position) { entry, id, data in
                builder.add(BlockEntity(copyOf: entry, id: id, data: data))
            }
        }
        let bytes = builder.take(number: 10, ordinal: 6, dictionary: nil).packed(by: try BlockPacker()).bytes
        let copy = try content(bytes, number: 10).get()
        let read = try entities(copy)
        let positions = (0..<60).reversed().filter { $0 % 3 > 0 }
        #expect(read == positions.map { written[$0] })
        let checks = positions.map { first.directory.entries[$0].check }
        #expect(copy.directory.entries.map(\.check) == checks)
    }

    @Test func `a block that is taken leaves an empty builder`() throws {
        var fixture = BlockFixture(seed: 4)
        let entities = fixture.entities(2)
        var builder = BlockBuilder(library: fixture.library, type: fixture.type)
        let packer = try BlockPacker()
        let blocks = entities.map { entity in
            entity.withBlockEntity { builder.add($0) }
            return builder.take(number: 9, ordinal: 1, dictionary: nil).packed(by: packer).bytes
        }
        for (bytes, entity) in zip(blocks, entities) {
            let read = try self.entities(try content(bytes).get())
            #expect(read == [entity])
        }
        #expect(builder.count == 0 && builder.removalCount == 0 && builder.dataByteCount == 0)
    }

    @Test func `blocks of usual entities fill one overflow page, and little more`() throws {
        var resources = FileResources(count: 3_000, seed: 5)
        let flush = resources.flush(rowCount: 3_000, isDistinct: true)
        let packer = try BlockPacker()
        var sizer = BlockSizer()
        var builder = BlockBuilder(library: 0, type: 0)
        var sizes: [Int] = []
        flush.bytes.withUnsafeBytes { bytes in
            for row in flush.rows {
                builder.add(BlockEntity(row, in: bytes))
                guard builder.isFull(ratio: sizer.ratio(of: 0)) else { continue }
                let block = builder.take(number: 1, ordinal: 1, dictionary: nil).packed(by: packer)
                sizer.note(block, of: 0)
                sizes.append(block.bytes.count)
            }
        }
        let usual = sizes.dropFirst(5).sorted()
        #expect(usual.count > 20)
        #expect(usual[usual.count / 10] > BlockCodec.fullByteCount - 200, "\(usual)")
        #expect(usual[usual.count * 9 / 10] < BlockCodec.fullByteCount + 600, "\(usual)")
    }

    @Test func `a block closes before an entity would make it too long to unpack`() throws {
        var builder = BlockBuilder(library: 0, type: 0)
        let long = BlockStoredEntity(
            key: StoredKey(library: 0, type: 0, id: .text("long")), sequence: 1, generation: 0, writtenAt: 0,
            payload: Array(repeating: 32, count: BlockCodec.sharedByteCountMax + 1))
        long.withBlockEntity { entity in
            #expect(builder.hasRoom(for: entity))
            builder.add(entity)
            #expect(builder.isFull(ratio: 0.1))
        }
        let bytes = builder.take(number: 9, ordinal: 1, dictionary: nil).packed(by: try BlockPacker()).bytes
        let read = try entities(try content(bytes).get())
        #expect(read == [long])
        let short = BlockStoredEntity(
            key: StoredKey(library: 0, type: 0, id: .text("s")), sequence: 1, generation: 0, writtenAt: 0,
            payload: Array(repeating: 32, count: 100))
        short.withBlockEntity { builder.add($0) }
        long.withBlockEntity { entity in #expect(!builder.hasRoom(for: entity)) }
    }

    // MARK: Damage

    /// Small blocks of each codec.
    private func smallBlocks() throws -> [(entities: [BlockStoredEntity], bytes: [UInt8])] {
        // Trying each bit in a directory costs the square of its size, and all of them the cube.
        try (1...4).map { seed in
            var fixture = BlockFixture(seed: seed)
            let entities = fixture.entities(min(seed, 3), payloadCountMax: 25)
            let dictionary = seed % 2 == 0 ? self.dictionary : nil
            return (entities, try fixture.block(of: entities, dictionary: dictionary))
        }
    }

    private func salvaged(_ bytes: [UInt8], number: Int64 = 9) -> [Int: BlockStoredEntity] {
        Dictionary(
            uniqueKeysWithValues: BlockSalvage.entities(
                of: bytes, number: number, unpacker: unpacker, dictionaries: [3: dictionary]))
    }

    @Test func `a flipped bit never changes an entity, and salvage loses only what the data lost`() throws {
        for (entities, bytes) in try smallBlocks() {
            let directory = try content(bytes).get().directory
            for bit in 0..<bytes.count * 8 {
                var damaged = bytes
                damaged.flip(bit: bit % 8, at: bit / 8)
                let isInData = bit / 8 >= directory.head.data.lowerBound
                if case .success(let content) = content(damaged) {
                    #expect(isInData, "bit \(bit)")
                    for position in entities.indices {
                        if let entity = try? content.entity(at: position) { #expect(entity == entities[position]) }
                    }
                }
                let saved = salvaged(damaged)
                for (position, entity) in saved { #expect(entity == entities[position], "bit \(bit)") }
                if !isInData { #expect(saved.count == entities.count, "bit \(bit) of the directory") }
                // In raw data one entity has the bit.
                if directory.head.codec == .raw { #expect(saved.count >= entities.count - 1, "bit \(bit)") }
            }
        }
    }

    @Test func `a block that is cut anywhere is refused, and salvage gives only entities that were there`() throws {
        for (entities, bytes) in try smallBlocks() {
            for count in 0..<bytes.count {
                let cut = Array(bytes.prefix(count))
                if case .success = content(cut) { Issue.record("\(count) of \(bytes.count) bytes are a block") }
                for (_, entity) in salvaged(cut) { #expect(entities.contains(entity)) }
            }
            if case .success = content(bytes + [0]) { Issue.record("a byte more is a block") }
        }
    }

    @Test func `a directory with several faults gives the entities that pass their checks`() throws {
        var fixture = BlockFixture(seed: 11)
        let entities = fixture.entities(30)
        let bytes = try fixture.block(of: entities)
        let directory = try content(bytes).get().directory
        // The id of the last entity; whatever lies before it is whole.
        var damaged = bytes
        for offset in directory.entries[29].id.prefix(2) { damaged.flip(bit: 7, at: offset) }
        #expect(content(damaged).failure == .checksumMismatch)
        let saved = salvaged(damaged)
        let wanted = Dictionary(uniqueKeysWithValues: entities.dropLast().enumerated().map { ($0.offset, $0.element) })
        #expect(saved == wanted)
    }

    @Test func `a block in another's row is refused`() throws {
        var fixture = BlockFixture(seed: 12)
        let bytes = try fixture.block(of: fixture.entities(3))
        #expect(content(bytes, number: 10).failure == .checksumMismatch)
        #expect(content(bytes, number: 9).failure == nil)
    }

    @Test func `a block whose dictionary is missing is refused`() throws {
        var fixture = BlockFixture(seed: 13)
        let bytes = try fixture.block(of: fixture.entities(30), dictionary: dictionary)
        #expect(content(bytes, dictionaries: [:]).failure == .unknownDictionary)
    }

    @Test func `a forged head cannot ask for more memory than a block may have`() throws {
        var fixture = BlockFixture(seed: 14)
        _ = fixture.random.next()
        func forged(count: Int, unpacked: Int, packed: Int, codec: UInt8 = 1) -> PayloadError? {
            var bytes: [UInt8] = [0, 0, 0, 0, 1 << 5 | codec]
            for number in [1, 0, 0, count, unpacked, packed] { PayloadCodec.append(number, to: &bytes) }
            let start = bytes.count
            bytes += Array(repeating: 0, count: packed)
            bytes.withUnsafeMutableBytes { bytes in
                let check = BlockDirectory.check(UnsafeRawBufferPointer(bytes), dataOffset: start, number: 9)
                bytes.storeBytes(of: check.littleEndian, as: UInt32.self)
            }
            return content(bytes).failure
        }
        #expect(forged(count: 2, unpacked: BlockCodec.sharedByteCountMax + 1, packed: 10) == .tooLarge)
        #expect(forged(count: 1, unpacked: BlockCodec.unpackedByteCountMax + 1, packed: 10) == .tooLarge)
        #expect(forged(count: 0, unpacked: 0, packed: 0) == .unknownFormat)
        #expect(forged(count: 128, unpacked: 0, packed: 0) == .unknownFormat)
        #expect(forged(count: 1, unpacked: 1, packed: 2, codec: 0) == .lengthMismatch)
        #expect(forged(count: 1, unpacked: 1, packed: 1, codec: 4) == .unknownFormat)
        #expect(forged(count: 1, unpacked: 5, packed: 5, codec: 0) == .lengthMismatch)
    }
}

extension Result {
    fileprivate var failure: Failure? {
        if case .failure(let failure) = self { failure } else { nil }
    }
}
