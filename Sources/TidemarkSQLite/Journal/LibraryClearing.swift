import TidemarkModel
import TidemarkStore

/// Clears a library: removes all rows of its entities before a flush writes new ones.
struct LibraryClearing {
    private let statements: [PreparedStatement]
    private let fieldValues: FieldValueWriter

    init(_ connection: OpaquePointer) throws {
        fieldValues = try FieldValueWriter(connection)
        statements = try [
            // Rows are deleted before keys, because only the keys show which library a row belongs to.
            #"DELETE FROM entities WHERE "row" IN (SELECT "row" FROM keys WHERE library = ?)"#,
            "DELETE FROM keys WHERE library = ?",
        ].map { try PreparedStatement(connection, $0) }
    }

    /// Removes all rows of a library's entities.
    ///
    /// - Parameter indexes: All indexes of the file.
    /// - Complexity: O(n log n) for n entities of the library.
    func clear(_ library: LibraryIndex, indexes: [FieldIndexRecord]) throws {
        for index in indexes { try fieldValues.remove(number: index.number, library: library) }
        for statement in statements {
            statement.bind(1, Int64(library))
            try statement.run()
        }
    }
}
