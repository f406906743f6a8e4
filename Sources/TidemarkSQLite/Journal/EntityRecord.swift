/// A row of the table `entities`, read but not checked.
struct EntityRecord {
    let row: Int64
    let sequence: Int64?
    let generation: Int64
    let writtenAt: Int64
    /// The encoded payload, valid until the statement steps on; nil when there is no such row.
    let body: UnsafeRawBufferPointer?

    /// - Parameter column: The number of the first of the columns row, sequence, generation, written_at, body. All but
    ///   the first are NULL when there is no such row.
    init(_ statement: PreparedStatement, from column: Int32 = 0) {
        self.init(row: statement.integer(column), statement, from: column + 1)
    }

    /// - Parameter column: The number of the first of the columns sequence, generation, written_at, body.
    init(row: Int64, _ statement: PreparedStatement, from column: Int32) {
        self.init(
            row: row, sequence: statement.optionalInteger(column), generation: statement.integer(column + 1),
            writtenAt: statement.integer(column + 2),
            body: statement.isNull(column + 3) ? nil : statement.borrowedBytes(column + 3))
    }

    init(row: Int64, sequence: Int64?, generation: Int64, writtenAt: Int64, body: UnsafeRawBufferPointer?) {
        self.row = row
        self.sequence = sequence
        self.generation = generation
        self.writtenAt = writtenAt
        self.body = body
    }
}
