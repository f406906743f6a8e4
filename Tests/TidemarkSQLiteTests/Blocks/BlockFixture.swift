import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// Random entities for blocks, and blocks of them.
struct BlockFixture {
    var random: SeededGenerator
    let library: LibraryIndex
    let type: TypeIndex

    init(seed: Int) {
        random = SeededGenerator(seed: UInt64(seed))
        library = LibraryIndex(random.below(300))
        type = TypeIndex(random.below(300))
    }

    /// Draws an entity; every part of it is absent, short or long in some.
    mutating func entity(_ number: Int, payloadCountMax: Int = 400) -> BlockStoredEntity {
        let id: StoredID =
            random.chance(500)
            ? .uuid(UUIDValue(high: random.next(), low: random.next()))
            : .text(ByteString("\(number)" + String(repeating: "x", count: random.below(20))))
        let key = StoredKey(library: library, type: type, id: id)
        let sequence = random.chance(800) ? Int64(1_000_000 + number * 3 - random.below(100)) : nil
        let extremes: [Int64] = [0, .max]
        var entity = BlockStoredEntity(
            key: key, sequence: random.chance(20) ? random.pick(extremes) : sequence,
            generation: random.chance(900) ? 0 : UInt32(truncatingIfNeeded: random.next()),
            writtenAt: random.chance(20) ? -StoredNumber.max : 1_760_000_000_000 + Int64(random.below(5_000)),
            payload: [])
        if random.chance(150) {
            entity.isRemoval = true
            return entity
        }
        if random.chance(200) {
            entity.fields = (0..<1 + random.below(40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
            entity.isReduced = random.chance(300)
        }
        entity.payload = Array(#"{"kind":"image","id":""#.utf8)
        if random.chance(800) { entity.payload += id.text.bytes }
        entity.payload += Array(#"","name":""#.utf8)
        let words = ["alpha", "beach", "cabin", "\u{e9}t\u{e9}", "1234"]
        for _ in 0..<random.below(payloadCountMax) / 6 { entity.payload += Array(random.pick(words).utf8) }
        entity.payload += Array(#""}"#.utf8)
        if random.chance(50) { entity.payload = [] }
        return entity
    }

    mutating func entities(_ count: Int, payloadCountMax: Int = 400) -> [BlockStoredEntity] {
        (0..<count).map { entity($0, payloadCountMax: payloadCountMax) }
    }

    /// Writes entities into one block.
    func block(
        of entities: [BlockStoredEntity], number: Int64 = 9, ordinal: Int = 5, dictionary: PayloadDictionary? = nil
    ) throws -> [UInt8] {
        var builder = BlockBuilder(library: library, type: type)
        for entity in entities { entity.withBlockEntity { builder.add($0) } }
        return builder.take(number: number, ordinal: ordinal, dictionary: dictionary).packed(by: try BlockPacker())
            .bytes
    }

    /// A dictionary of the words that payloads have.
    static func makeDictionary() -> PayloadDictionary {
        PayloadDictionary(
            number: 3, type: 0,
            bytes: Array(String(repeating: #"{"kind":"image","id":"","name":"alphabeachcabin1234"#, count: 4).utf8))
    }
}
