import Tidemark
import TidemarkHTTPRecords
import TidemarkModel
import TidemarkStore

extension SQLiteReader {
    /// Returns the stored HTTP responses whose heads pass their check, in the order of library and URL. Those that end
    /// with the writing process are left out.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    /// - Complexity: O(responses).
    package func httpAnswers(_ selection: HTTPSelection) throws(StorageError) -> [HTTPRecord] {
        try snapshot { connection in
            guard try DataFileSchema.version(connection) >= 6 else { return [] }
            var selection = selection
            selection.isSession = false
            return try HTTPTable(connection).page(selection, after: nil, countMax: .max).map(\.record)
        }
    }

    /// Returns the totals of all stored HTTP responses, including those that end with the writing process.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    /// - Complexity: O(responses).
    package func httpTotals() throws(StorageError) -> HTTPTotals {
        try snapshot { connection in
            guard try DataFileSchema.version(connection) >= 6 else { return HTTPTotals() }
            let totals = try HTTPTable(connection).totals()
            return HTTPTotals(answerCount: totals.count, byteCount: totals.byteCount)
        }
    }

    /// Returns the number of stored body chunks, including those that no response refers to.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    package func httpChunkCount() throws(StorageError) -> Int {
        try snapshot { connection in
            Int(try PreparedStatement.number(connection, "SELECT count(*) FROM http_chunks") ?? 0)
        }
    }

    /// Reads the body of a stored HTTP response by its number.
    ///
    /// - Returns: nil when the response does not exist or fails its check.
    /// - Throws: ``/Tidemark/StorageError``.
    package func httpBody(_ number: Int64) throws(StorageError) -> [UInt8]? {
        try snapshot { connection in
            guard try DataFileSchema.version(connection) >= 6 else { return nil }
            let table = try HTTPTable(connection)
            return try table.row(number).flatMap { try table.body($0) }
        }
    }
}
