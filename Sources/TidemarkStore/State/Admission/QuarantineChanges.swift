import TidemarkModel

/// The quarantine records that were added or removed since the last flush.
///
/// The flush policy bounds them.
struct QuarantineChanges {
    private var records: [QuarantineRecord] = []
    private var removed: [Int64] = []

    /// How many records were added.
    var count: Int { records.count }

    var hasRemoved: Bool { !removed.isEmpty }

    mutating func append(_ record: QuarantineRecord) { records.append(record) }

    /// Removes a record from the quarantine, because its line was applied.
    ///
    /// - Parameter number: The record's number; nil for one that the journal never had.
    mutating func remove(_ number: Int64?) {
        if let number { removed.append(number) }
    }

    /// Restores the records of a flush that the journal lost. They are older than all others.
    mutating func restore(_ lost: [QuarantineRecord]) { records.insert(contentsOf: lost, at: 0) }

    /// Moves everything into a flush.
    mutating func drain(into flush: inout FlushBatch) {
        flush.quarantine = records
        flush.quarantineRemoved = removed
        records = []
        removed = []
    }
}
