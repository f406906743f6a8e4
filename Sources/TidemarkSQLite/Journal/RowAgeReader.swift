import TidemarkModel
import TidemarkStore

/// Reads the ages of rows in the order of the table `keys`. Of each body it reads only the header byte.
struct RowAgeReader {
    private let first: PreparedStatement
    private let next: PreparedStatement

    init(_ connection: OpaquePointer) throws {
        func select(_ condition: String) -> String {
            """
            SELECT k.library, k.type, k.id, k."row", e.written_at, substr(e.body, 5, 1) FROM keys k
            LEFT JOIN entities e ON e."row" = k."row" \(condition) ORDER BY k.library, k.type, k.id LIMIT ?1
            """
        }
        first = try PreparedStatement(connection, select(""))
        next = try PreparedStatement(connection, select("WHERE (k.library, k.type, k.id) > (?2, ?3, ?4)"))
    }

    /// Reads the ages of the rows after a key. A key whose row is missing counts as the oldest possible row.
    ///
    /// - Throws: ``SQLiteError``.
    func rows(after key: StoredKey?, countMax: Int) throws -> [StoredRowAge] {
        let statement = key == nil ? first : next
        defer { statement.reset() }
        statement.bind(1, Int64(countMax))
        if let key { statement.bind(key, from: 2) }
        var rows: [StoredRowAge] = []
        while try statement.step() {
            guard let key = statement.storedKey(from: 0) else { throw SQLiteError.damaged("a key's blob is no UUID") }
            rows.append(
                StoredRowAge(
                    stored: StoredRow(key: key, row: statement.integer(3)),
                    writtenAt: statement.isNull(4) ? .min : statement.integer(4),
                    isReduced: PayloadCodec.isReduced(header: statement.borrowedBytes(5))))
        }
        return rows
    }
}
