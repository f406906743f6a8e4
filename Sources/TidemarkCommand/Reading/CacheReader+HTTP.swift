import Tidemark
import TidemarkHTTPRecords
import TidemarkModel
import TidemarkSQLite
import TidemarkStore

extension CacheReader {
    /// Returns the permanently stored HTTP responses, by library and URL.
    func httpAnswers(library: ByteString?, prefix: ByteString?) throws(Failure) -> [HTTPRecord] {
        try CacheReader.mapped { () throws(StorageError) in
            try reader.httpAnswers(HTTPSelection(library: library, prefix: prefix))
        }
    }

    /// Returns the totals of stored HTTP responses.
    func httpTotals() throws(Failure) -> HTTPTotals {
        try CacheReader.mapped { () throws(StorageError) in try reader.httpTotals() }
    }

    /// Reads the body of a stored response; nil if it fails its check.
    func httpBody(_ number: Int64) throws(Failure) -> [UInt8]? {
        try CacheReader.mapped { () throws(StorageError) in try reader.httpBody(number) }
    }
}
