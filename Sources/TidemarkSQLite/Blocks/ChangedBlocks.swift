/// The rows of the table `changes` in one state of a file, as far back as they cover its newest blocks without a gap.
struct ChangedBlocks {
    /// The consecutive rows, newest first.
    private let rows: [ChangeRow]
    /// The rows cover all blocks above this number.
    private let after: Int64
    private let readByteCount: PreparedStatement

    /// Reads the rows.
    ///
    /// - Parameters:
    ///   - connection: A connection that outlives this value, with a current transaction.
    ///   - seed: The random number of the file.
    /// - Throws: ``SQLiteError``.
    /// - Complexity: O(bytes of the rows).
    init(_ connection: OpaquePointer, seed: UInt64) throws {
        readByteCount = try PreparedStatement(connection, "SELECT length(body) FROM blocks WHERE number = ?")
        let newest = try PreparedStatement.number(connection, "SELECT max(number) FROM blocks") ?? 0
        var rows: [ChangeRow] = []
        var next: Int64?
        try ChangeTable.forEach(connection, seed: seed) { number, row in
            // Unused numbers can only come after the newest block.
            guard let row, next.map({ number == $0 }) ?? (number >= newest) else { return false }
            rows.append(row)
            next = row.after
            return true
        }
        self.rows = rows
        after = next ?? newest
    }

    /// Returns the numbers of the blocks that may have an entry for a key, newest first.
    ///
    /// - Parameter through: Only blocks above this number are returned.
    /// - Returns: nil when the rows do not cover all of these blocks.
    /// - Complexity: O(changes).
    func blocks(of hash: KeyHash, after through: Int64) -> [Int64]? {
        guard after <= through else { return nil }
        return Set(rows.lazy.flatMap { $0.blocks(of: hash) }.filter { $0 > through }).sorted(by: >)
    }

    /// Returns the size of a block's row; nil when the block was deleted.
    ///
    /// - Throws: ``SQLiteError``.
    func byteCount(of number: Int64) throws -> Int? {
        readByteCount.bind(1, number)
        defer { readByteCount.reset() }
        return try readByteCount.step() ? Int(clamping: readByteCount.integer(0)) : nil
    }
}
