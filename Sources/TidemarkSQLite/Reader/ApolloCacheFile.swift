import Tidemark
import TidemarkModel

/// Reads the SQLite cache file of Apollo iOS, which has one table: `records`, with a text `key` and a text `record`.
///
/// The file is opened read-only and is not changed. The whole file is read in one snapshot.
///
/// - Source: docs/moving.md, Apollo iOS.
package enum ApolloCacheFile {
    /// A record of the file.
    package struct Record: Sendable {
        /// The cache key, such as `Character:1000` or `QUERY_ROOT`.
        package var key: ByteString
        /// The fields, as the text of a JSON object. Not checked.
        package var fields: [UInt8]
    }

    /// The most records of a file: 1,000,000.
    package static let recordCountMax = 1_000_000
    /// The most bytes of all records of a file: 1 GiB.
    package static let byteCountMax = 1 << 30

    /// Reads all records of a file, in the order of their keys.
    ///
    /// - Throws: ``/Tidemark/StorageError``: `.notFound`; `.notOurs` if the file is not a SQLite database with this
    ///   table; `.limitExceeded` past ``recordCountMax`` or ``byteCountMax``; `.locked`, `.damaged`, `.inputOutput`.
    /// - Complexity: O(bytes of the file).
    package static func records(path: String) throws(StorageError) -> [Record] {
        let header = try FileHeader.read(path)
        switch header {
        case .missing: throw StorageError(.notFound, "\(path) does not exist", advice: "check the name")
        case .empty, .unmarked, .garbage, .compressed, .ours, .newer, .sealed: throw notApollo(path)
        case .foreign: break
        }
        do {
            let connection = try ReadConnection(path: path, isImmutable: false)
            return try read(connection, path: path)
        } catch let error as StorageError {
            throw error
        } catch {
            throw SQLiteError.storageError(error, path: path)
        }
    }

    private static func read(_ connection: ReadConnection, path: String) throws -> [Record] {
        try connection.execute("BEGIN")
        let columns = try PreparedStatement(connection.handle, "SELECT name FROM pragma_table_info('records')")
        var names: Set<ByteString> = []
        try columns.forEachRow { names.insert($0.text(0)) }
        guard names.isSuperset(of: ["key", "record"]) else { throw notApollo(path) }
        var records: [Record] = []
        var byteCount = 0
        let rows = try PreparedStatement(connection.handle, "SELECT key, record FROM records ORDER BY key")
        try rows.forEachRow { row in
            let record = Record(key: row.text(0), fields: Array(row.borrowedBytes(1)))
            byteCount += record.fields.count
            guard records.count < recordCountMax, byteCount <= byteCountMax else {
                throw StorageError(
                    .limitExceeded, "\(path) has more than \(recordCountMax) records or \(byteCountMax) bytes of them",
                    advice: "let the app fetch its data instead")
            }
            records.append(record)
        }
        return records
    }

    private static func notApollo(_ path: String) -> StorageError {
        StorageError(
            .notOurs, "\(path) is not a cache file of Apollo iOS: it has no table records with a key and a record",
            advice: "pass the file that SQLiteNormalizedCache opened")
    }
}
