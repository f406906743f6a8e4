/// The table `changes`: for each flush, hashes of the keys in its blocks. Rows whose blocks every stored segment
/// includes are removed.
final class ChangeTable {
    static let name = "changes"
    static let schema = "CREATE TABLE changes (number INTEGER PRIMARY KEY, after INTEGER, body BLOB)"

    private let connection: OpaquePointer
    private let put: PreparedStatement
    private let remove: PreparedStatement

    /// - Throws: ``SQLiteError``.
    init(_ connection: OpaquePointer) throws {
        self.connection = connection
        put = try PreparedStatement(connection, "INSERT INTO changes (number, after, body) VALUES (?, ?, ?)")
        remove = try PreparedStatement(connection, "DELETE FROM changes WHERE number <= ?")
    }

    /// Writes the rows of a flush, and removes those that no reader needs any longer.
    ///
    /// - Parameters:
    ///   - after: The highest block number before the flush.
    ///   - storedThrough: The last block that every stored segment includes.
    /// - Throws: ``SQLiteError``.
    /// - Complexity: O(changes).
    func write(_ flush: StagedFlush, after: Int64, storedThrough: Int64, seed: UInt64) throws {
        remove.bind(1, storedThrough)
        try remove.run()
        var numbers: [Int: Int64] = [:]
        for block in flush.blocks { numbers[block.ordinal] = block.entry.number }
        let changes = flush.changes.lazy.compactMap { change in
            numbers[change.ordinal].map { (hash: change.hash, number: $0) }
        }
        for first in stride(from: after, to: flush.lastNumber, by: ChangeRow.blockCountMax) {
            let last = min(flush.lastNumber, first + Int64(ChangeRow.blockCountMax))
            let bytes = ChangeRow.bytes(
                changes.filter { first < $0.number && $0.number <= last }, number: last, after: first, seed: seed)
            try bytes.withUnsafeBytes { bytes in
                put.bind(1, last)
                put.bind(2, first)
                put.bindBorrowed(3, blob: bytes)
                try put.run()
            }
        }
    }

    /// Calls a closure with each row, newest first, until it returns false; the row is nil if it is damaged. A file
    /// that no writer of format 9 has opened has no such table, and so no rows.
    ///
    /// - Throws: ``SQLiteError``, and the error of `body`.
    static func forEach(
        _ connection: OpaquePointer, seed: UInt64, _ body: (_ number: Int64, ChangeRow?) throws -> Bool
    ) throws {
        let table = "SELECT 1 FROM sqlite_schema WHERE name = '\(name)'"
        guard try PreparedStatement.number(connection, table) != nil else { return }
        let statement = try PreparedStatement(
            connection, "SELECT number, after, body FROM changes ORDER BY number DESC")
        while try statement.step() {
            let (number, after) = (statement.integer(0), statement.integer(1))
            let row = ChangeRow(Array(statement.borrowedBytes(2)), number: number, after: after, seed: seed)
            guard try body(number, row) else { return }
        }
    }
}
