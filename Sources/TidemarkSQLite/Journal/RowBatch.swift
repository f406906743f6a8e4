import TidemarkModel
import TidemarkStore

/// Writes entity rows in runs of sixteen. A statement with sixteen rows of values costs little more than one with a
/// single row, because SQLite opens its cursor once.
///
/// Measured: a fifth less time a row than single inserts, see docs/data-file.md.
struct RowBatch {
    /// How many rows one run of a statement writes.
    static let rowCount = 16

    private let many: PreparedStatement
    private let one: PreparedStatement
    private var rows: [FlushRow] = []
    private var bodies: [UnsafeRawBufferPointer] = []

    /// Prepares the statements.
    ///
    /// - Parameter verb: `INSERT OR IGNORE` or `REPLACE`. Neither can fail half-way; a statement that can makes SQLite
    ///   copy every page that a run changes.
    init(_ connection: OpaquePointer, _ verb: String) throws {
        let head = "\(verb) INTO entities (\"row\", sequence, generation, written_at, body) VALUES "
        let values = Array(repeating: "(?, ?, ?, ?, ?)", count: RowBatch.rowCount)
        many = try PreparedStatement(connection, head + values.joined(separator: ", "))
        one = try PreparedStatement(connection, head + values[0])
        rows.reserveCapacity(RowBatch.rowCount)
        bodies.reserveCapacity(RowBatch.rowCount)
    }

    var isFull: Bool { rows.count == RowBatch.rowCount }
    var isEmpty: Bool { rows.isEmpty }

    /// Appends a row.
    ///
    /// - Parameter body: The encoded row, whose memory must stay valid until ``write()``.
    mutating func append(_ row: FlushRow, body: UnsafeRawBufferPointer) {
        rows.append(row)
        bodies.append(body)
    }

    /// Writes the appended rows, and removes them from the batch.
    ///
    /// - Throws: ``SQLiteError`` `SQLITE_CORRUPT` when the number of a new row already exists.
    mutating func write() throws {
        defer { clear() }
        if isFull {
            for index in 0..<RowBatch.rowCount { bind(many, index, at: Int32(index) * 5) }
            try run(many, count: RowBatch.rowCount)
        } else {
            for index in rows.indices {
                bind(one, index, at: 0)
                try run(one, count: 1)
            }
        }
    }

    /// Removes the appended rows without writing them, as after a failure.
    mutating func clear() {
        rows.removeAll(keepingCapacity: true)
        bodies.removeAll(keepingCapacity: true)
    }

    @inline(__always)
    private func bind(_ statement: PreparedStatement, _ index: Int, at parameter: Int32) {
        statement.bind(parameter + 1, rows[index].row)
        statement.bind(parameter + 2, rows[index].sequence?.rawValue)
        statement.bind(parameter + 3, Int64(rows[index].generation))
        statement.bind(parameter + 4, rows[index].writtenAt)
        statement.bindBorrowed(parameter + 5, blob: bodies[index])
    }

    private func run(_ statement: PreparedStatement, count: Int) throws {
        try statement.run()
        guard statement.changedRowCount == count else {
            throw SQLiteError.damaged("a row among \(rows[0].row) to \(rows[rows.count - 1].row) is taken")
        }
    }
}
