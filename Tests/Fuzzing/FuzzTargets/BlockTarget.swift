import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTestKit

/// Blocks: the first byte chooses whether the rest is a block as it stands, one that a forger sealed, or choices of
/// entities that are written, read, and damaged.
enum BlockTarget {
    static let target = FuzzTarget("block", byteCountMax: 768, .now(check))

    private static let number: Int64 = 7

    private static func dictionaries() -> [Int64: PayloadDictionary] {
        let text = String(repeating: #"{"id":"an id","name":"alpha","path":"/a/b","size":1,"kind":"image"}"#, count: 8)
        return [1: PayloadDictionary(number: 1, type: 2, bytes: Array(text.utf8))]
    }

    private static func check(_ bytes: [UInt8]) throws {
        let rest = Array(bytes.dropFirst())
        switch (bytes.first ?? 0) & 3 {
        case 0: try untouched(rest)
        case 1: try forged(rest)
        default: try written(rest)
        }
    }

    /// Checks that salvage finds whatever a reader finds, and no more of it.
    private static func untouched(_ block: [UInt8]) throws {
        let saved = try BlockCodec.salvage(block, number: number, dictionaries: dictionaries())
        try require(saved.count <= 127, "\(saved.count) entities of a block")
        guard let read = try decoded(block) else { return }
        try requireEqual(saved, read, "what is saved of a block that can be read")
    }

    /// Checks a block whose directory has the check that a forger would compute.
    private static func forged(_ covered: [UInt8]) throws {
        guard let block = BlockCodec.sealed([0, 0, 0, 0] + covered, number: number) else { return }
        try untouched(block)
        if let read = try decoded(block) {
            let byteCount = read.values.reduce(0) { $0 + $1.payload.count + $1.fields.count }
            try require(byteCount <= 33 << 20, "\(byteCount) bytes of a block")
        }
        try require(
            try decoded(block, number: number + 1) == nil, "a block is read under another number")
    }

    private static func written(_ bytes: [UInt8]) throws {
        var choices = ByteChoices(bytes)
        let usesDictionary = choices.chance(128)
        let flippedBit = Int(choices.number() % (1 << 16))
        var entities: [BlockStoredEntity] = []
        repeat { entities.append(entity(&choices)) } while !choices.isAtEnd && entities.count < 127
        for compression in DataCompression.available {
            try written(entities, usesDictionary: usesDictionary, flippedBit: flippedBit, compression)
        }
    }

    private static func written(
        _ entities: [BlockStoredEntity], usesDictionary: Bool, flippedBit: Int, _ compression: DataCompression
    ) throws {
        let block = try BlockCodec.encode(
            entities, library: 3, type: 2, number: number, dictionary: usesDictionary ? dictionaries()[1] : nil,
            compression)
        let wanted = Dictionary(uniqueKeysWithValues: entities.enumerated().map { ($0.offset, $0.element) })
        try requireEqual(try decoded(block), wanted, "what was written")
        var damaged = block
        let bit = flippedBit % (block.count * 8)
        damaged.flip(bit: bit % 8, at: bit / 8)
        for found in [
            try decoded(damaged) ?? [:], try BlockCodec.salvage(damaged, number: number, dictionaries: dictionaries()),
        ] {
            for (position, entity) in found {
                try requireEqual(entity, wanted[position], "entity \(position) with bit \(bit) flipped")
            }
        }
    }

    private static func entity(_ choices: inout ByteChoices) -> BlockStoredEntity {
        let id = choices.run(count: choices.below(24))
        let isUUID = id.count == 16
        let uuid = id.withUnsafeBytes { UUIDValue(bytes: $0) }
        let key = StoredKey(
            library: 3, type: 2, id: isUUID ? uuid.map { .uuid($0) } ?? .text("") : .text(ByteString(id)))
        var entity = BlockStoredEntity(
            key: key, sequence: choices.chance(200) ? Int64(choices.number() >> 1) : nil,
            generation: UInt32(choices.below(1 << 20)), writtenAt: Int64(choices.below(1 << 24)) - 1_000, payload: [])
        if choices.chance(30) {
            entity.isRemoval = true
            return entity
        }
        if choices.chance(60) {
            entity.fields = [1] + choices.run()
            entity.isReduced = choices.chance(60)
        }
        entity.payload = choices.run()
        // The id among the first strings, which is left out.
        if choices.chance(128) { entity.payload = Array(#"{"id":""#.utf8) + key.id.text.bytes + [34] + entity.payload }
        return entity
    }

    private static func decoded(_ block: [UInt8], number: Int64 = number) throws -> [Int: BlockStoredEntity]? {
        do {
            return try BlockCodec.decode(block, number: number, dictionaries: dictionaries())
        } catch is PayloadError {
            return nil
        }
    }
}
