import TidemarkModel

/// One entity in memory: 64 bytes beside its payload, one cache line of the processor; addressed by a 32-bit index.
///
/// The payload's block holds the id's text (when the id is no UUID), then the resource's bytes.
struct EntitySlot {
    /// The UUID; for another id its hash (`high`) and byte count (`low`).
    var id: UUIDValue
    /// The sequence of the last write; -1 when the write had none.
    var sequence: Int64
    /// The time of the last write, in milliseconds since 1970.
    var writtenAt: Int64
    var payloadCount: UInt32
    /// The payload's block in ``PayloadArena``; owned by the slot.
    var place: UInt32
    /// The journal's row, low half; see `row`.
    var rowLow: UInt32
    /// The neighbours in the LRU list; `next` also links free slots.
    var previous: SlotIndex
    var next: SlotIndex
    /// The library's generation at the last write, and the writer; see ``EntityStamp/packedGeneration``.
    var generation: UInt32
    var library: LibraryIndex
    var type: TypeIndex
    var rowHigh: UInt16
    var flags: Flags

    struct Flags: OptionSet {
        var rawValue: UInt16
        /// The id is a UUID.
        static let isUUID = Flags(rawValue: 1)
        /// The journal has a row for the entity, or a flush under way writes one.
        static let hasRow = Flags(rawValue: 2)
        /// The journal does not have the entity's last version.
        static let isDirty = Flags(rawValue: 4)
        /// The payload changed since the last flush; without this flag only the stamps changed.
        static let hasNewPayload = Flags(rawValue: 8)
        /// The slot is in use.
        static let isLive = Flags(rawValue: 16)
        /// The slot is in the list of slots to flush; outlives the entity, so that a reused slot is not listed twice.
        static let isListed = Flags(rawValue: 32)
        /// A list or an observer names the entity, or did: ``ListedKeys`` is consulted when it changes.
        static let isTracked = Flags(rawValue: 64)
        /// The fields were not all written at once: the store keeps ``FieldStamps`` for the entity.
        static let hasFieldStamps = Flags(rawValue: 128)

        /// The low byte of the number of the last flush that took the entity.
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

    /// The number of bytes of id text at the front of the block.
    var idByteCount: Int { flags.contains(.isUUID) ? 0 : Int(id.low) }
}
