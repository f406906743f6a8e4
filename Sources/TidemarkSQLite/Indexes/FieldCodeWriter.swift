import TidemarkModel
import TidemarkStore

/// Writes the table `field_codes` of a file of blocks: one row for each entity and each index of its type.
///
/// SQLite maintains its own index over it.
struct FieldCodeWriter: FieldWriter {
    private let connection: OpaquePointer
    private let insert: PreparedStatement
    private let replace: PreparedStatement
    private let read: PreparedStatement
    private let removeOne: PreparedStatement
    private let removeLibrary: PreparedStatement
    private let removeSlice: PreparedStatement

    init(_ connection: OpaquePointer) throws {
        self.connection = connection
        let values = "INTO field_codes (number, library, id, code) VALUES (?, ?, ?, ?)"
        // Neither statement can fail half-way; a statement that can makes SQLite copy every page that it changes.
        insert = try PreparedStatement(connection, "INSERT OR IGNORE \(values)")
        replace = try PreparedStatement(connection, "REPLACE \(values)")
        let place = "WHERE number = ? AND library = ? AND id = ?"
        read = try PreparedStatement(connection, "SELECT code FROM field_codes \(place)")
        removeOne = try PreparedStatement(connection, "DELETE FROM field_codes \(place)")
        removeLibrary = try PreparedStatement(connection, "DELETE FROM field_codes WHERE number = ? AND library = ?")
        removeSlice = try PreparedStatement(
            connection,
            """
            DELETE FROM field_codes WHERE number = ?1 AND (library, id) IN
            (SELECT library, id FROM field_codes WHERE number = ?1 LIMIT ?2)
            """)
    }

    func write(
        _ owner: FieldOwner, payload: UnsafeRawBufferPointer, _ completeness: Completeness,
        of indexes: [FieldIndexRecord], isNew: Bool
    ) throws {
        for index in indexes {
            let code = FieldCode.kept(index.path, of: payload, completeness)
            try code.withUnsafeBytes { code in
                func run(_ statement: PreparedStatement) throws {
                    bind(statement, index.number, owner)
                    statement.bindBorrowed(4, blob: code)
                    try statement.run()
                }
                if isNew {
                    try run(insert)
                    if insert.changedRowCount == 0 { try run(replace) }
                } else if try !holds(index.number, code, owner) {
                    try run(replace)
                }
            }
        }
    }

    private func holds(_ number: Int64, _ code: UnsafeRawBufferPointer, _ owner: FieldOwner) throws -> Bool {
        bind(read, number, owner)
        defer { read.reset() }
        return try read.step() && read.borrowedBytes(0).elementsEqual(code)
    }

    private func bind(_ statement: PreparedStatement, _ number: Int64, _ owner: FieldOwner) {
        statement.bind(1, number)
        statement.bind(2, Int64(owner.library))
        statement.bind(3, owner)
    }

    /// Removes the values of an entity.
    ///
    /// - Throws: ``SQLiteError``.
    func remove(_ owner: FieldOwner, of indexes: [FieldIndexRecord]) throws {
        for index in indexes {
            bind(removeOne, index.number, owner)
            try removeOne.run()
        }
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
        try PreparedStatement.number(connection, "SELECT count(*) FROM field_codes WHERE number = \(number)") ?? 0
    }
}
