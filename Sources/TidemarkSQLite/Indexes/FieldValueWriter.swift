import TidemarkModel
import TidemarkStore

/// Writes the table `field_values`: one row for each entity and each index of its type.
///
/// Rows arrive in the order of the table `entities`, which is also the order of this table. SQLite maintains its own
/// index over it.
struct FieldValueWriter: FieldWriter {
    private let connection: OpaquePointer
    private let insert: PreparedStatement
    private let replace: PreparedStatement
    private let read: PreparedStatement
    private let removeRow: PreparedStatement
    private let removeLibrary: PreparedStatement
    private let removeSlice: PreparedStatement

    init(_ connection: OpaquePointer) throws {
        self.connection = connection
        let values = "INTO field_values (place, number, library, code, id) VALUES (?, ?, ?, ?, ?)"
        // Neither statement can fail half-way; a statement that can makes SQLite copy every page that it changes.
        insert = try PreparedStatement(connection, "INSERT OR IGNORE \(values)")
        replace = try PreparedStatement(connection, "REPLACE \(values)")
        read = try PreparedStatement(connection, "SELECT code, library, id FROM field_values WHERE place = ?")
        removeRow = try PreparedStatement(connection, "DELETE FROM field_values WHERE place BETWEEN ? AND ?")
        removeLibrary = try PreparedStatement(connection, "DELETE FROM field_values WHERE number = ? AND library = ?")
        removeSlice = try PreparedStatement(
            connection,
            "DELETE FROM field_values WHERE place IN (SELECT place FROM field_values WHERE number = ? LIMIT ?)")
    }

    func write(
        _ owner: FieldOwner, payload: UnsafeRawBufferPointer, _ completeness: Completeness,
        of indexes: [FieldIndexRecord], isNew: Bool
    ) throws {
        for index in indexes {
            let code = FieldCode.kept(index.path, of: payload, completeness)
            let place = FieldPlace.of(row: owner.row, index.number)
            try code.withUnsafeBytes { code in
                func run(_ statement: PreparedStatement) throws {
                    statement.bind(1, place)
                    statement.bind(2, index.number)
                    statement.bind(3, Int64(owner.library))
                    statement.bindBorrowed(4, blob: code)
                    statement.bind(5, owner)
                    try statement.run()
                }
                if isNew {
                    try run(insert)
                    // The place is taken only by a row of an entity that was damaged.
                    if insert.changedRowCount == 0 { try run(replace) }
                } else if try !holds(place, code, owner) {
                    try run(replace)
                }
            }
        }
    }

    private func holds(_ place: Int64, _ code: UnsafeRawBufferPointer, _ owner: FieldOwner) throws -> Bool {
        read.bind(1, place)
        defer { read.reset() }
        guard try read.step() else { return false }
        return read.borrowedBytes(0).elementsEqual(code) && read.integer(1) == Int64(owner.library)
            && read.isBlob(2) == owner.isUUID && read.borrowedBytes(2).elementsEqual(owner.id)
    }

    /// Removes an entity's rows from all indexes.
    func remove(row: Int64) throws {
        removeRow.bind(1, FieldPlace.of(row: row, 0))
        removeRow.bind(2, FieldPlace.of(row: row + 1, 0) - 1)
        try removeRow.run()
    }

    func remove(number: Int64, library: LibraryIndex) throws {
        removeLibrary.bind(1, number)
        removeLibrary.bind(2, Int64(library))
        try removeLibrary.run()
    }

    func removeSlice(number: Int64, countMax: Int) throws -> Int {
        removeSlice.bind(1, number)
        removeSlice.bind(2, Int64(countMax))
        try removeSlice.run()
        return removeSlice.changedRowCount
    }

    func count(number: Int64) throws -> Int64 {
        try PreparedStatement.number(connection, "SELECT count(*) FROM field_values WHERE number = \(number)") ?? 0
    }
}

extension PreparedStatement {
    /// Binds the id of an entity, without a copy.
    func bind(_ index: Int32, _ owner: FieldOwner) {
        if owner.isUUID { bindBorrowed(index, blob: owner.id) } else { bindBorrowed(index, text: owner.id) }
    }
}
