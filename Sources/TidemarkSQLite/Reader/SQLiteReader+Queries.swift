import Tidemark
import TidemarkModel
import TidemarkStore

extension SQLiteReader {
    /// Reads the stored queries in ascending order of their numbers, one at a time.
    ///
    /// - Parameters:
    ///   - library: The only library whose queries are read; nil for all.
    ///   - method: The only method whose queries are read; nil for all.
    ///   - visit: Called with each query, and with every damaged row, whose library and method are unknown. Returns
    ///     false to stop.
    /// - Throws: ``/Tidemark/StorageError``.
    /// - Complexity: O(bytes of all lists) with any filter, because rows are checked before they are compared.
    public func queries(
        library: ByteString? = nil, method: ByteString? = nil, _ visit: (ReadQueryStep) throws -> Bool
    ) throws(StorageError) {
        try snapshot { connection in
            let names = try ReadNames(connection)
            try SQLiteReader.forEachQuery(connection, names) { row in
                switch row {
                case .damaged(let row):
                    return try visit(.damaged(row))
                case .record(let record):
                    let name = names.libraries[Int(record.library)]
                    if let library, name != library { return true }
                    if let method, record.method != method { return true }
                    return try visit(
                        .query(ReadQuery(record, library: name, type: names.types[Int(record.type)])))
                }
            }
        }
    }

    /// Returns the number of stored queries, including damaged ones.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    public func queryCount() throws(StorageError) -> Int64 {
        try snapshot { connection in
            guard try SQLiteReader.hasQueries(connection) else { return 0 }
            return try PreparedStatement.number(connection, "SELECT count(*) FROM queries") ?? 0
        }
    }

    /// Visits the rows of the table `queries`. A file whose format has no such table has no rows.
    static func forEachQuery(
        _ connection: OpaquePointer, _ names: ReadNames, _ visit: (QueryTable.Row) throws -> Bool
    ) throws {
        guard try hasQueries(connection) else { return }
        try QueryTable.forEach(
            connection, libraryCount: names.libraries.count, typeCount: names.types.count, visit)
    }

    /// Returns true if the file has the table `queries`. The version is read in each snapshot, since a writer may
    /// upgrade the file at any time.
    private static func hasQueries(_ connection: OpaquePointer) throws -> Bool {
        try DataFileSchema.version(connection) >= 2
    }
}
