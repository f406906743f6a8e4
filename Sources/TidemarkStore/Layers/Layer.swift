import TidemarkModel

/// One mutation that has not settled.
struct Layer {
    /// The layer's number, given once; orders layers.
    let number: Int64
    let pendingID: ByteString
    let library: LibraryIndex
    /// The time when the layer was made, in milliseconds since 1970.
    let createdAt: Int64
    /// The changes in order. Their ids change when a real id becomes known.
    var changes: [LayerChange]
    /// The pending ids of the layers with which this one is rolled back.
    var dependsOn: [ByteString]
    /// Whether the layer is committed; it then waits for its sequence or its event.
    var isConfirmed = false
    /// The place in the log that the layer waits for; nil: it waits only for its event.
    var awaited: AwaitedPlace?
    /// The request of the layer and its progress; nil: the host sends it itself, or the server has answered.
    var sending: LayerSending?
    /// Whether the journal has a row for the layer, or a flush under way writes one.
    var hasRow = false

    init(
        number: Int64, pendingID: ByteString, library: LibraryIndex, createdAt: Int64, changes: [LayerChange],
        dependsOn: [ByteString], sending: LayerSending? = nil
    ) {
        self.number = number
        self.pendingID = pendingID
        self.library = library
        self.createdAt = createdAt
        self.changes = changes
        self.dependsOn = dependsOn
        self.sending = sending
    }

    init(_ record: LayerRecord) {
        self.init(
            number: record.number, pendingID: record.pendingID, library: record.library, createdAt: record.createdAt,
            changes: record.changes, dependsOn: record.dependsOn, sending: record.sending)
        isConfirmed = record.isConfirmed
        awaited = record.awaited.map { AwaitedPlace(sequence: $0, generation: record.awaitedGeneration) }
        hasRow = true
    }

    var record: LayerRecord {
        LayerRecord(
            number: number, pendingID: pendingID, library: library, isConfirmed: isConfirmed,
            awaited: awaited?.sequence, awaitedGeneration: awaited?.generation ?? 0, dependsOn: dependsOn,
            createdAt: createdAt, changes: changes, sending: sending?.recorded)
    }

    /// The number of bytes that count toward the bound on layers: not less than the layer's row takes.
    var byteCount: Int {
        let named = dependsOn.reduce(pendingID.bytes.count) { $0 + $1.bytes.count + 16 }
        return changes.reduce(named + (sending?.byteCount ?? 0)) { $0 + $1.byteCount }
    }
}

/// A place in a library's log that a confirmed layer waits for.
struct AwaitedPlace: Hashable {
    var sequence: EventSequence
    /// The library's generation; in another one the sequence means nothing.
    var generation: UInt32
}
