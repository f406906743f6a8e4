import Tidemark

extension SQLiteReader {
    /// Returns the bytes of unused pages, which a writer fills again or returns to the disk.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    public func freeByteCount() throws(StorageError) -> Int64 {
        try snapshot { connection in
            let pageCount = try PreparedStatement.number(connection, "PRAGMA freelist_count") ?? 0
            return pageCount * (try PreparedStatement.number(connection, "PRAGMA page_size") ?? 0)
        }
    }
}
