import TidemarkLiveViews
import TidemarkModel

/// How many views a database defines, and what is stored of their results.
struct StoredViews {
    /// The number of views that are defined in the data file.
    private(set) var count = 0
    /// The number of stored rows.
    private(set) var rowCount = 0
    /// The bytes of definitions and stored results.
    private(set) var byteCount: Int64 = 0

    /// Counts the records of views. Damaged ones are left out.
    ///
    /// - Parameter records: Returns the records of a kind, by key.
    init<Failure: Error>(_ records: (ByteString) throws(Failure) -> [ByteString: [UInt8]]) throws(Failure) {
        let rules = try records(ViewRecord.kind)
        let results = try records(StoredResultCheck.kind)
        count = rules.count
        rowCount = results.values.reduce(0) { $0 + (StoredResultCheck.rowCount($1) ?? 0) }
        byteCount = (Array(rules.values) + Array(results.values)).reduce(0) { $0 + Int64($1.count) }
    }

    /// What is stored, in words.
    var stored: String { "\(HumanText.count(rowCount, "row")) of \(HumanText.byteCount(byteCount)) stored" }
}
