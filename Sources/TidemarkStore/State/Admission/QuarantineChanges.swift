import TidemarkModel

/// The records of lines and members that were set aside, and the ones taken back, since the last flush.
///
/// Bounded by the flush policy.
struct QuarantineChanges {
    private var records: [QuarantineRecord] = []
    private var removed: [Int64] = []

    /// The number of records that a flush would hold.
    var count: Int { records.count }

    var hasRemoved: Bool { !removed.isEmpty }

    mutating func append(_ record: QuarantineRecord) { records.append(record) }

    /// Removes a record from the journal because its line was applied after all.
    ///
    /// - Parameter number: nil for a record that the journal never had.
    mutating func remove(_ number: Int64?) {
        if let number { removed.append(number) }
    }

    /// Takes back the records of a flush that the journal lost; they are older than all others.
    mutating func restore(_ lost: [QuarantineRecord]) { records.insert(contentsOf: lost, at: 0) }

    /// Moves everything into a flush.
    mutating func drain(into flush: inout FlushBatch) {
        flush.quarantine = records
        flush.quarantineRemoved = removed
        records = []
        removed = []
    }
}
