import TidemarkModel
import TidemarkStore

/// Writes the keys of new rows, in the order of their table.
struct KeyWriter {
    /// The number of rows that one run of a statement writes.
    private static let rowCount = 16

    private let many: PreparedStatement
    private let one: PreparedStatement
    private let remove: PreparedStatement
    private let read: PreparedStatement
    private let move: PreparedStatement
    private let deleteRow: PreparedStatement

    init(_ connection: OpaquePointer) throws {
        // IGNORE is used, not ABORT: a run that can fail half-way makes SQLite copy every page that it changes.
        let head = #"INSERT OR IGNORE INTO keys (library, type, id, "row") VALUES "#
        let values = Array(repeating: "(?, ?, ?, ?)", count: KeyWriter.rowCount)
        many = try PreparedStatement(connection, head + values.joined(separator: ", "))
        one = try PreparedStatement(connection, head + values[0])
        remove = try PreparedStatement(
            connection, #"DELETE FROM keys WHERE library = ? AND type = ? AND id = ? AND "row" = ?"#)
        read = try PreparedStatement(connection, #"SELECT "row" FROM keys WHERE library = ? AND type = ? AND id = ?"#)
        move = try PreparedStatement(
            connection, #"UPDATE keys SET "row" = ?4 WHERE library = ?1 AND type = ?2 AND id = ?3"#)
        deleteRow = try PreparedStatement(connection, #"DELETE FROM entities WHERE "row" = ?"#)
    }

    /// Returns how many of `count` keys ``write(_:of:bytes:removed:)`` can write in full runs, without single keys.
    static func wholeRuns(of count: Int) -> Int { count - count % rowCount }

    /// Writes keys.
    ///
    /// - Parameters:
    ///   - keys: The keys of new rows, in table order.
    ///   - removed: Called for each existing row that is deleted because a new row has its key.
    /// - Returns: The number of keys that pointed to another row, by library. They now point to the new rows, and the
    ///   old rows are deleted.
    func write(
        _ keys: ArraySlice<NewKey>, of rows: [FlushRow], bytes: UnsafeRawBufferPointer,
        removed: (FlushRow, Int64) throws -> Void
    ) throws -> [LibraryIndex: Int64] {
        var replaced: [LibraryIndex: Int64] = [:]
        var start = keys.startIndex
        while start < keys.endIndex {
            let end = start + (keys.endIndex - start < KeyWriter.rowCount ? 1 : KeyWriter.rowCount)
            let statement = end - start == 1 ? one : many
            for index in start..<end {
                bind(statement, rows[keys[index].index], bytes, at: Int32(index - start) * 4)
            }
            try statement.run()
            if statement.changedRowCount < end - start {
                for key in keys[start..<end] where try claim(rows[key.index], bytes, removed) {
                    replaced[rows[key.index].library, default: 0] += 1
                }
            }
            start = end
        }
        return replaced
    }

    func remove(_ row: FlushRow, bytes: UnsafeRawBufferPointer) throws {
        bind(remove, row, bytes, at: 0)
        try remove.run()
    }

    /// Makes a key point to its new row if it points to another one, and deletes the other row.
    private func claim(
        _ row: FlushRow, _ bytes: UnsafeRawBufferPointer, _ removed: (FlushRow, Int64) throws -> Void
    ) throws -> Bool {
        bind(read, row, bytes, at: 0, isRowBound: false)
        let taken = try read.step() ? read.integer(0) : nil
        read.reset()
        guard let taken else { throw SQLiteError.damaged("the key of row \(row.row) is neither free nor taken") }
        if taken == row.row { return false }
        deleteRow.bind(1, taken)
        try deleteRow.run()
        try removed(row, taken)
        bind(move, row, bytes, at: 0)
        try move.run()
        return true
    }

    @inline(__always)
    private func bind(
        _ statement: PreparedStatement, _ row: FlushRow, _ bytes: UnsafeRawBufferPointer, at parameter: Int32,
        isRowBound: Bool = true
    ) {
        statement.bindBorrowed(
            library: row.library, type: row.type, id: row.id(in: bytes), isUUID: row.isUUID, from: parameter + 1)
        if isRowBound { statement.bind(parameter + 4, row.row) }
    }
}
