import TidemarkModel
import TidemarkStore

/// One entity in the directory of a block: its key and stamps, and the length of its part of the data.
///
/// ```
/// flags      1  0 UUID · 1 has a sequence · 2 removal · 3 has fields · 4 reduced · 5 id left out
/// id            16 bytes of a UUID, or v and a text
/// sequence   v  with a sequence: difference to the previous one in the block, zigzag
/// generation v
/// written    v  difference to the previous entity, zigzag
/// id offset  v  when the id is left out: its offset in the payload
/// fields     v  bytes, when it has fields
/// size       v  bytes of the payload without the id; absent for a removal
/// check      4  XXH64 of fields and payload as stored, low half; see ``seed(library:type:id:)``
/// ```
struct BlockEntry: Hashable {
    /// The first byte of an entry: the form of the id, and the parts that the entry has.
    struct Flags: OptionSet, Hashable {
        let rawValue: UInt8

        static let uuid = Flags(rawValue: 1 << 0)
        static let sequenced = Flags(rawValue: 1 << 1)
        /// The entity was removed; openings that replay the directories need to find the removal.
        static let removal = Flags(rawValue: 1 << 2)
        static let withFields = Flags(rawValue: 1 << 3)
        /// The entity was evicted except for the fields that stay.
        static let reduced = Flags(rawValue: 1 << 4)
        static let withoutID = Flags(rawValue: 1 << 5)
        static let known: Flags = [.uuid, .sequenced, .removal, .withFields, .reduced, .withoutID]
    }

    var flags: Flags
    /// The range of the id in the block's bytes.
    var id: Range<Int>
    var sequence: Int64?
    var generation: UInt32
    /// Milliseconds since 1970.
    var writtenAt: Int64
    /// The offset of the id in the payload if it was left out; else 0.
    var idOffset = 0
    var fieldsCount = 0
    /// The size of the payload as stored.
    var payloadCount = 0
    var check: UInt32 = 0
    /// The offset of the fields in the unpacked data.
    var dataOffset = 0

    var isRemoval: Bool { flags.contains(.removal) }
    var isUUID: Bool { flags.contains(.uuid) }
    /// The range of fields and payload in the unpacked data.
    var data: Range<Int> { dataOffset..<dataOffset + fieldsCount + payloadCount }

    /// The stamps of the previous entry, to which the differences in an entry refer.
    struct Base {
        var sequence: Int64 = 0
        var writtenAt: Int64 = 0
        var dataOffset = 0

        init() {}

        /// Continues after an entry that was read or written.
        mutating func advance(over entry: BlockEntry) {
            sequence = entry.sequence ?? sequence
            writtenAt = entry.writtenAt
            dataOffset = entry.data.upperBound
        }
    }

    /// Returns the seed of an entity's check. It covers key, stamps and the shape of the data, so that damage to them
    /// in the directory fails the check.
    func seed(library: LibraryIndex, type: TypeIndex, id: UnsafeRawBufferPointer) -> UInt64 {
        let seal = PayloadSeal(
            library: library, type: type, isUUID: isUUID, sequence: sequence, generation: generation,
            writtenAt: writtenAt)
        let shape = UInt64(flags.rawValue) | UInt64(idOffset) << 8 | UInt64(fieldsCount) << 36
        return seal.seed(id: id) ^ shape &* 0x9E37_79B1_85EB_CA87
    }

    /// Returns true if the entry and the data belong together and are undamaged.
    ///
    /// - Parameter data: Fields and payload as stored.
    func passesCheck(
        library: LibraryIndex, type: TypeIndex, id: UnsafeRawBufferPointer, data: UnsafeRawBufferPointer
    ) -> Bool {
        UInt32(truncatingIfNeeded: Checksum.xxh64(data, seed: seed(library: library, type: type, id: id))) == check
    }
}

extension BlockEntry {
    /// Parses an entry; nil when the bytes are none, or end within it. Only the check shows whether it is undamaged.
    init?(_ cursor: inout BlockCursor, after base: Base) {
        guard let flagBits = cursor.byte() else { return nil }
        let flags = Flags(rawValue: flagBits)
        guard flagBits & ~Flags.known.rawValue == 0,
            !flags.contains(.removal) || flags.isDisjoint(with: [.withFields, .reduced, .withoutID])
        else { return nil }
        var idCount = 16
        if !flags.contains(.uuid) {
            guard let count = cursor.count() else { return nil }
            idCount = count
        }
        guard let id = cursor.range(idCount) else { return nil }
        var sequence: Int64?
        if flags.contains(.sequenced) {
            guard let difference = cursor.signed() else { return nil }
            sequence = base.sequence &+ difference
        }
        guard StoredNumber.isSequence(sequence), let generation = cursor.count().flatMap({ UInt32(exactly: $0) }),
            let difference = cursor.signed()
        else { return nil }
        let writtenAt = base.writtenAt &+ difference
        guard StoredNumber.isMoment(writtenAt) else { return nil }
        self.init(flags: flags, id: id, sequence: sequence, generation: generation, writtenAt: writtenAt)
        dataOffset = base.dataOffset
        if flags.contains(.withoutID) {
            guard let count = cursor.count() else { return nil }
            idOffset = count
        }
        if flags.contains(.withFields) {
            guard let count = cursor.count(), 1...PayloadCodec.fieldsByteCountMax ~= count else { return nil }
            fieldsCount = count
        }
        if !isRemoval {
            guard let count = cursor.count(), count <= PayloadCodec.payloadByteCountMax, idOffset <= count else {
                return nil
            }
            payloadCount = count
        }
        guard let check = cursor.fourBytes() else { return nil }
        self.check = check
    }

    /// Appends the entry, with the bytes of its id from `id`.
    func append(to bytes: inout [UInt8], id: UnsafeRawBufferPointer, after base: Base) {
        bytes.append(flags.rawValue)
        if !isUUID { PayloadCodec.append(id.count, to: &bytes) }
        bytes.append(contentsOf: id)
        if let sequence { BlockCursor.append(signed: sequence &- base.sequence, to: &bytes) }
        PayloadCodec.append(Int(generation), to: &bytes)
        BlockCursor.append(signed: writtenAt &- base.writtenAt, to: &bytes)
        if flags.contains(.withoutID) { PayloadCodec.append(idOffset, to: &bytes) }
        if flags.contains(.withFields) { PayloadCodec.append(fieldsCount, to: &bytes) }
        if !isRemoval { PayloadCodec.append(payloadCount, to: &bytes) }
        BlockCursor.append(fourBytes: check, to: &bytes)
    }
}
