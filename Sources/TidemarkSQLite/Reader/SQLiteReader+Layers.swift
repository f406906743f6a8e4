import Tidemark
import TidemarkModel
import TidemarkStore

extension SQLiteReader {
    /// Returns the pending layers, oldest first, after the rows that fail their check.
    ///
    /// - Parameter library: The only library whose layers are returned; nil for all. Damaged rows are always returned,
    ///   because their library is unknown.
    /// - Returns: All layers at once; the limits of a writer bound them.
    /// - Throws: ``/Tidemark/StorageError``.
    /// - Complexity: O(bytes of the layers), and O(log n) for each entity that they name.
    public func layers(library: ByteString? = nil) throws(StorageError) -> [ReadLayerStep] {
        try snapshot { connection in
            let names = try ReadNames(connection)
            let overlay = try LayerOverlay(connection, names)
            let entities = try entities(connection)
            let orphans = try overlay.orphans(
                isStored: { key in
                    if case .found = try entities.read(key, names.dictionaries) { true } else { false }
                },
                isDeleted: { try SQLiteReader.hasTombstone(connection, $0) })
            let layers = overlay.records.filter { library == nil || names.libraries[Int($0.library)] == library }
            return overlay.damaged.map { .damaged($0) }
                + layers.map { .layer(ReadLayer($0, isOrphaned: orphans.contains($0.number), names)) }
        }
    }

    /// Returns the number of stored layers, including damaged ones.
    ///
    /// - Throws: ``/Tidemark/StorageError``.
    public func layerCount() throws(StorageError) -> Int64 {
        try snapshot { connection in
            guard try DataFileSchema.version(connection) >= 3 else { return 0 }
            return try PreparedStatement.number(connection, "SELECT count(*) FROM layers WHERE flags < 2") ?? 0
        }
    }

    static func hasTombstone(_ connection: OpaquePointer, _ key: StoredKey) throws -> Bool {
        let statement = try PreparedStatement(
            connection, "SELECT 1 FROM tombstones WHERE library = ? AND type = ? AND id = ?")
        statement.bind(key, from: 1)
        defer { statement.reset() }
        return try statement.step()
    }
}
