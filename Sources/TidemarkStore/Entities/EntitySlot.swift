import TidemarkModel

/// One entity in memory: 64 bytes, which is one cache line of the processor, with its payload elsewhere. A 32-bit index
/// addresses it.
///
/// The payload's block holds the id's text, unless the id is a UUID, and then the resource's bytes.
struct EntitySlot {
    /// The id if it is a UUID; otherwise the hash (`high`) and the byte count (`low`) of its text.
    var id: UUIDValue
    /// The sequence of the last write; -1 if it had none.
    var sequence: Int64
    /// When the entity was last written, in milliseconds since 1970.
    var writtenAt: Int64
    var payloadCount: UInt32
    /// The block of ``PayloadArena`` that holds the payload; the slot owns it.
    var place: UInt32
    /// The low 32 bits of the entity's row number; see `row`.
    var rowLow: UInt32
    /// The neighbours in the LRU list; `next` also links free slots.
    var previous: SlotIndex
    var next: SlotIndex
    /// The generation and the kind of the last write, packed; see ``EntityStamp/packedGeneration``.
    var generation: UInt32
    var library: LibraryIndex
    var type: TypeIndex
    var rowHigh: UInt16
    var flags: Flags

    struct Flags: OptionSet {
        var rawValue: UInt16
        /// The id is a UUID.
        static let isUUID = Flags(rawValue: 1)
        /// The journal has a row for the entity, or a flush under way creates one.
        static let hasRow = Flags(rawValue: 2)
        /// The entity was written since the last flush took it.
        static let isDirty = Flags(rawValue: 4)
        /// The payload changed since the last flush. A dirty slot without this flag has only new stamps.
        static let hasNewPayload = Flags(rawValue: 8)
        /// The slot is in use.
        static let isLive = Flags(rawValue: 16)
        /// The slot is in the list of slots to flush. The flag stays when the entity is removed, so that a reused slot
        /// is not listed twice.
        static let isListed = Flags(rawValue: 32)
        /// A list or an observer names the entity, or once did: ``ListedKeys`` must be consulted when it changes.
        static let isTracked = Flags(rawValue: 64)
        /// The fields were not all written at once, so the store keeps ``FieldStamps`` for the entity.
        static let hasFieldStamps = Flags(rawValue: 128)

        /// The low byte of the number of the last flush that included the entity.
        var flush: UInt8 {
            get { UInt8(truncatingIfNeeded: rawValue >> 8) }
            set { rawValue = rawValue & 0xFF | UInt16(newValue) << 8 }
        }
    }

    /// The entity's row number in the journal: dense, at most 48 bits.
    var row: Int64 {
        get { Int64(rowHigh) << 32 | Int64(rowLow) }
        set {
            rowLow = UInt32(truncatingIfNeeded: newValue)
            rowHigh = UInt16(truncatingIfNeeded: newValue >> 32)
        }
    }

    /// How many bytes of id text precede the resource in the block.
    var idByteCount: Int { flags.contains(.isUUID) ? 0 : Int(id.low) }
}
