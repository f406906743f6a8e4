/// The rows of the table `changes` in one state of a file, as far as they stand for all of its newest blocks.
struct ChangedBlocks {
    /// The rows that follow each other without a gap, the newest first.
    private let rows: [ChangeRow]
    /// The rows stand for all blocks above this number.
    private let after: Int64
    private let readByteCount: PreparedStatement

    /// - Parameters:
    ///   - connection: A connection that lives longer, with a transaction under way.
    ///   - seed: The random number of the file.
    /// - Throws: ``SQLiteFailure``.
    /// - Complexity: O(bytes of the rows).
    init(_ connection: OpaquePointer, seed: UInt64) throws {
        readByteCount = try PreparedStatement(connection, "SELECT length(body) FROM blocks WHERE number = ?")
        let newest = try PreparedStatement.number(connection, "SELECT max(number) FROM blocks") ?? 0
        var rows: [ChangeRow] = []
        var next: Int64?
        try ChangeTable.forEach(connection, seed: seed) { number, row in
            // Numbers that were given to no block may lie behind the newest one, and nowhere else.
            guard let row, next.map({ number == $0 }) ?? (number >= newest) else { return false }
            rows.append(row)
            next = row.after
            return true
        }
        self.rows = rows
        after = next ?? newest
    }

    /// Returns the numbers of the blocks that may have an entry of a key, the newest first.
    ///
    /// - Parameter through: Only the blocks above this number.
    /// - Returns: nil when the rows do not stand for all of these.
    /// - Complexity: O(changes).
    func blocks(of hash: KeyHash, after through: Int64) -> [Int64]? {
        guard after <= through else { return nil }
        return Set(rows.lazy.flatMap { $0.blocks(of: hash) }.filter { $0 > through }).sorted(by: >)
    }

    /// Returns the bytes of a block's row; nil when it is gone.
    ///
    /// - Throws: ``SQLiteFailure``.
    func byteCount(of number: Int64) throws -> Int? {
        readByteCount.bind(1, number)
        defer { readByteCount.reset() }
        return try readByteCount.step() ? Int(clamping: readByteCount.integer(0)) : nil
    }
}
