import TidemarkModel

/// One mutation that has not settled.
struct Layer {
    /// The layer's number, never reused. Layers apply in the order of their numbers.
    let number: Int64
    let pendingID: ByteString
    let library: LibraryIndex
    /// When the layer was made, in milliseconds since 1970.
    let createdAt: Int64
    /// The changes in order. Renaming a temporary id changes their ids.
    var changes: [LayerChange]
    /// The pending ids of the layers that this one depends on: it is rolled back with them.
    var dependsOn: [ByteString]
    /// True if the layer is committed and waits for its sequence or its event.
    var isConfirmed = false
    /// The place in the log at which the layer settles; nil if it waits only for its event.
    var awaited: AwaitedPlace?
    /// The layer's request and how far its sending is; nil if the host sends it itself, or it was answered.
    var sending: LayerSending?
    /// True if the journal has a row for the layer, or a flush under way creates one.
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

    /// How many bytes the layer counts toward the bound on layers: at least as many as its row takes.
    var byteCount: Int {
        let named = dependsOn.reduce(pendingID.bytes.count) { $0 + $1.bytes.count + 16 }
        return changes.reduce(named + (sending?.byteCount ?? 0)) { $0 + $1.byteCount }
    }
}

/// The place in a library's log at which a confirmed layer settles.
struct AwaitedPlace: Hashable {
    var sequence: EventSequence
    /// The generation of that log. In another generation the sequence has no meaning.
    var generation: UInt32
}
