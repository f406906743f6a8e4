import TidemarkModel

/// One mutation that has not settled.
struct Layer {
    /// Given once; orders layers.
    let number: Int64
    let pendingID: ByteString
    let library: LibraryIndex
    /// Milliseconds since 1970.
    let createdAt: Int64
    /// In order. Ids change when a real one comes to be known.
    var changes: [LayerChange]
    /// Pending layers with which this one is rolled back.
    var dependsOn: [ByteString]
    /// Committed; waits for its sequence or its event.
    var isConfirmed = false
    /// nil: waits for its event alone.
    var awaited: AwaitedPlace?
    /// The journal has a row for it, or a flush under way writes one.
    var hasRow = false

    init(
        number: Int64, pendingID: ByteString, library: LibraryIndex, createdAt: Int64, changes: [LayerChange],
        dependsOn: [ByteString]
    ) {
        self.number = number
        self.pendingID = pendingID
        self.library = library
        self.createdAt = createdAt
        self.changes = changes
        self.dependsOn = dependsOn
    }

    init(_ record: LayerRecord) {
        self.init(
            number: record.number, pendingID: record.pendingID, library: record.library, createdAt: record.createdAt,
            changes: record.changes, dependsOn: record.dependsOn)
        isConfirmed = record.isConfirmed
        awaited = record.awaited.map { AwaitedPlace(sequence: $0, generation: record.awaitedGeneration) }
        hasRow = true
    }

    var record: LayerRecord {
        LayerRecord(
            number: number, pendingID: pendingID, library: library, isConfirmed: isConfirmed,
            awaited: awaited?.sequence, awaitedGeneration: awaited?.generation ?? 0, dependsOn: dependsOn,
            createdAt: createdAt, changes: changes)
    }

    /// Its share of the bound on layers: not less than what its row takes.
    var byteCount: Int {
        let named = dependsOn.reduce(pendingID.bytes.count) { $0 + $1.bytes.count + 16 }
        return changes.reduce(named) { $0 + $1.byteCount }
    }
}

/// A place in a library's log that a confirmed layer waits for.
struct AwaitedPlace: Hashable {
    var sequence: EventSequence
    /// The library's generation; in another one the sequence means nothing.
    var generation: UInt32
}
