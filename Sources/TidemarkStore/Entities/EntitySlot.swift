import TidemarkModel

/// One entity in memory: 64 bytes beside its payload, one line of the processor's cache; addressed by a 32-bit index.
///
/// The payload's block holds the id's text (when the id is no UUID), then the resource's bytes.
struct EntitySlot {
    /// The UUID; for another id its hash (`high`) and byte count (`low`).
    var id: UUIDValue
    /// Sequence of the last write; -1 when that had none.
    var sequence: Int64
    /// Milliseconds since 1970.
    var writtenAt: Int64
    var payloadCount: UInt32
    /// Its block in ``PayloadArena``; owned by the slot.
    var place: UInt32
    /// The journal's row, low half; see `row`.
    var rowLow: UInt32
    /// Neighbours in the list by last access; `next` also links free slots.
    var previous: UInt32
    var next: UInt32
    /// The library's generation at the last write, and what wrote; see ``EntityStamp/packedGeneration``.
    var generation: UInt32
    var library: LibraryIndex
    var type: TypeIndex
    var rowHigh: UInt16
    var flags: Flags

    struct Flags: OptionSet {
        var rawValue: UInt16
        /// The id is a UUID.
        static let isUUID = Flags(rawValue: 1)
        /// The journal has, or a flush under way writes, a row for it.
        static let hasRow = Flags(rawValue: 2)
        /// Its last version is not with the journal.
        static let isDirty = Flags(rawValue: 4)
        /// Its payload changed since the last flush; otherwise only its stamps.
        static let hasNewPayload = Flags(rawValue: 8)
        /// In use.
        static let isLive = Flags(rawValue: 16)
        /// In the list of slots to flush; outlives the entity, so that a slot used again is not listed twice.
        static let isListed = Flags(rawValue: 32)
        /// A list or an observer names it, or did: looked up in ``ListedKeys`` when it changes.
        static let isTracked = Flags(rawValue: 64)
        /// Its fields were not all written at once: the store keeps ``FieldStamps`` for it.
        static let hasFieldStamps = Flags(rawValue: 128)

        /// The last flush that took it, by the low byte of its number.
        var flush: UInt8 {
            get { UInt8(truncatingIfNeeded: rawValue >> 8) }
            set { rawValue = rawValue & 0xFF | UInt16(newValue) << 8 }
        }
    }

    /// The journal's row: dense, 48 bits.
    var row: Int64 {
        get { Int64(rowHigh) << 32 | Int64(rowLow) }
        set {
            rowLow = UInt32(truncatingIfNeeded: newValue)
            rowHigh = UInt16(truncatingIfNeeded: newValue >> 32)
        }
    }

    /// Bytes of id text at the front of the block.
    var idByteCount: Int { flags.contains(.isUUID) ? 0 : Int(id.low) }
}
