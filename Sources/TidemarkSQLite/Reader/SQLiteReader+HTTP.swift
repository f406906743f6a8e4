import Tidemark
import TidemarkModel
import TidemarkStore

extension SQLiteReader {
    /// Returns the permanent HTTP answers whose heads pass their check, by library and URL.
    ///
    /// - Throws: ``Tidemark/StorageError``.
    /// - Complexity: O(answers).
    package func httpAnswers(_ selection: HTTPSelection) throws(StorageError) -> [HTTPRecord] {
        try snapshot { connection in
            guard try DataFileSchema.version(connection) >= 6 else { return [] }
            var selection = selection
            selection.isSession = false
            return try HTTPTable(connection).page(selection, after: nil, countMax: .max).map(\.record)
        }
    }

    /// Returns the totals of all answers, those of a session included.
    ///
    /// - Complexity: O(answers).
    package func httpTotals() throws(StorageError) -> HTTPTotals {
        try snapshot { connection in
            guard try DataFileSchema.version(connection) >= 6 else { return HTTPTotals() }
            let totals = try HTTPTable(connection).totals()
            return HTTPTotals(answerCount: totals.count, byteCount: totals.byteCount)
        }
    }

    /// Returns the number of chunks of all bodies, also of those that no answer refers to.
    package func httpChunkCount() throws(StorageError) -> Int {
        try snapshot { connection in
            Int(try PreparedStatement.number(connection, "SELECT count(*) FROM http_chunks") ?? 0)
        }
    }

    /// Reads the body of an answer.
    ///
    /// - Returns: nil when the answer is gone or fails its check.
    package func httpBody(_ number: Int64) throws(StorageError) -> [UInt8]? {
        try snapshot { connection in
            guard try DataFileSchema.version(connection) >= 6 else { return nil }
            let table = try HTTPTable(connection)
            return try table.row(number).flatMap { try table.body($0) }
        }
    }
}
