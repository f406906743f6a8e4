import Tidemark
import TidemarkModel
import TidemarkStore

extension SQLiteReader {
    /// Walks the stored queries, ascending by number, one at a time.
    ///
    /// - Parameters:
    ///   - library: Only those of this library; nil for all.
    ///   - method: Only those of this method; nil for all.
    ///   - visit: Called for each, and for every damaged row, because whose it was cannot be known; returns false to stop.
    /// - Throws: ``Tidemark/StorageError``.
    /// - Complexity: O(bytes of all lists), whatever is asked for: rows are checked before they are compared.
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

    /// How many queries are stored, damaged ones among them.
    public func queryCount() throws(StorageError) -> Int64 {
        try snapshot { connection in
            guard try SQLiteReader.hasQueries(connection) else { return 0 }
            return try PreparedStatement.number(connection, "SELECT count(*) FROM queries") ?? 0
        }
    }

    /// Rows of the table `queries`; none in a file whose format has no such table.
    static func forEachQuery(
        _ connection: OpaquePointer, _ names: ReadNames, _ visit: (QueryTable.Row) throws -> Bool
    ) throws {
        guard try hasQueries(connection) else { return }
        try QueryTable.forEach(
            connection, libraryCount: names.libraries.count, typeCount: names.types.count, visit)
    }

    /// Asked anew in each snapshot: a writer may upgrade the file beside the reader.
    private static func hasQueries(_ connection: OpaquePointer) throws -> Bool {
        try DataFileSchema.version(connection) >= 2
    }
}
