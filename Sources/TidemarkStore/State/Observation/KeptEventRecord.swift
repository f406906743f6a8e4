import TidemarkModel

// The records of ``KeptEvents``. They never leave this process, so they have the layout of its memory.

/// The beginning of an event's record. The names, the ids, the line and the writes follow it in this order.
struct KeptHead {
    /// The size of the whole record, in bytes.
    var byteCount: UInt32 = 0
    var at: Int64
    var sequence: Int64
    var line: Int64
    var resourceCount: Int64
    var libraryCount: UInt32
    var typeCount: UInt32
    var mutationCount: UInt32
    /// The size of the line as received, in bytes.
    var lineByteCount: UInt32 = 0
    /// The size of the line in this record; ``absent`` if it was left out.
    var contentCount = KeptHead.absent
    var idCount: UInt32 = 0
    var idByteCount: UInt32 = 0
    var writeCount: UInt32 = 0
    var writeByteCount: UInt32 = 0
    var bin: UInt8
    var kind: UInt8
    /// The reason of a quarantined event; 0 for none.
    var reason: UInt8
    var isLate: Bool
    /// True if writes were left out.
    var isCut = false

    static let absent = UInt32.max

    init(_ event: LoggedEvent) {
        func count(_ name: ByteString?) -> UInt32 { name.map { UInt32($0.bytes.count) } ?? KeptHead.absent }
        at = event.at
        // No event has the sequence before the first one, and no line has the number 0.
        sequence = event.sequence?.rawValue ?? EventSequence.beforeFirst.rawValue
        line = event.line ?? 0
        resourceCount = Int64(event.resourceCount)
        libraryCount = count(event.library)
        typeCount = count(event.type)
        mutationCount = count(event.mutationID)
        bin = event.bin.number
        kind = event.kind.rawValue
        reason = event.reason?.rawValue ?? 0
        isLate = event.isLate
    }
}

/// The beginning of the record of one write. The type, the id, the resource before and the one after follow it.
struct KeptWrite {
    var typeCount: UInt32
    var idCount: UInt32
    /// The size of the resource before; ``KeptHead/absent`` if there was none.
    private var beforeByteCount: UInt32
    /// The size of the resource after; ``KeptHead/absent`` if there is none.
    private var afterByteCount: UInt32
    /// The offset of the resource after in the line; ``KeptHead/absent`` if it follows this record.
    private var offset = KeptHead.absent
    var isUUID: Bool

    init(typeCount: UInt32, idCount: UInt32, isUUID: Bool, beforeCount: UInt32?, afterCount: UInt32?) {
        self.typeCount = typeCount
        self.idCount = idCount
        self.isUUID = isUUID
        beforeByteCount = beforeCount ?? KeptHead.absent
        afterByteCount = afterCount ?? KeptHead.absent
    }

    var beforeCount: Int? { beforeByteCount == KeptHead.absent ? nil : Int(beforeByteCount) }
    var afterCount: Int? { afterByteCount == KeptHead.absent ? nil : Int(afterByteCount) }

    var afterOffset: UInt32? {
        get { offset == KeptHead.absent ? nil : offset }
        set { offset = newValue ?? KeptHead.absent }
    }
}

extension LoggedEvent.Bin {
    /// The number that encodes the bin in records.
    var number: UInt8 {
        switch self {
        case .applied: 0
        case .duplicate: 1
        case .ignored: 2
        case .quarantined: 3
        case .held: 4
        case .reconciled: 5
        }
    }

    init?(number: UInt8) {
        guard let bin = LoggedEvent.Bin.allCases.first(where: { $0.number == number }) else { return nil }
        self = bin
    }
}
