import TidemarkModel
import TidemarkStore

/// Writes the keys of new rows, in the order of their table.
struct KeyWriter {
    /// Rows of one run.
    private static let rowCount = 16

    private let many: PreparedStatement
    private let one: PreparedStatement
    private let remove: PreparedStatement
    private let read: PreparedStatement
    private let move: PreparedStatement
    private let deleteRow: PreparedStatement

    init(_ connection: OpaquePointer) throws {
        // IGNORE, not ABORT: a run that can fail half-way makes SQLite copy every page it changes.
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

    /// As many keys of `count` as ``write(_:of:bytes:removed:)`` writes without taking one by itself.
    static func wholeRuns(of count: Int) -> Int { count - count % rowCount }

    /// - Parameters:
    ///   - keys: In table order.
    ///   - removed: Given each row that goes because another one takes its key.
    /// - Returns: How many keys were taken, by library; they point to the new rows now, and the old rows are
    ///   gone.
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

    /// Makes a key point to its new row, when another row had it.
    private func claim(
        _ row: FlushRow, _ bytes: UnsafeRawBufferPointer, _ removed: (FlushRow, Int64) throws -> Void
    ) throws -> Bool {
        bind(read, row, bytes, at: 0, isRowBound: false)
        let taken = try read.step() ? read.integer(0) : nil
        read.reset()
        guard let taken else { throw SQLiteFailure.damaged("the key of row \(row.row) is neither free nor taken") }
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
