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
