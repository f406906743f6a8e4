import TidemarkModel
import TidemarkStore

/// Reads the entities of one type in the order of their ids' text.
///
/// The table sorts UUIDs, which are blobs, after all texts; the reader merges the two runs by the bytes of their text.
/// UUIDs have the same order as 16 bytes and as text, because the hyphens are at fixed positions.
struct EntityRangeReader {
    private let texts: PreparedStatement
    private let blobs: PreparedStatement
    private let connection: OpaquePointer

    init(_ connection: OpaquePointer) throws {
        func select(_ condition: String) -> String {
            """
            SELECT id, "row" FROM keys WHERE library = ?1 AND type = ?2 AND \(condition) ORDER BY id
            """
        }
        // Every text sorts before the empty blob, and every UUID after it.
        texts = try PreparedStatement(connection, select("id > ?3 AND id < x''"))
        blobs = try PreparedStatement(connection, select("id >= ?3"))
        self.connection = connection
    }

    /// Visits the entities of one library and type.
    ///
    /// - Parameters:
    ///   - after: The id's text after which to begin; nil to begin at the first entity.
    ///   - expectedCount: The number of entities that `visit` will probably take. The first batch has this size, each
    ///     further batch four times the size of the previous one.
    ///   - visit: Called with the key and its row; returns false to stop.
    /// - Returns: False when `visit` stopped the scan.
    func forEach(
        library: LibraryIndex, type: TypeIndex, after: ByteString?, expectedCount: Int = 32,
        _ visit: (StoredKey, EntityRecord) throws -> Bool
    ) throws -> Bool {
        defer {
            texts.reset()
            blobs.reset()
        }
        var batch = try EntityBatch(connection)
        for statement in [texts, blobs] {
            statement.bind(1, Int64(library))
            statement.bind(2, Int64(type))
        }
        texts.bind(3, text: after ?? "")
        blobs.bind(3, blob: after.map { UUIDLowerBound.bytes(behind: $0.bytes) } ?? [])

        var text = try next(texts)
        var uuid = try next(blobs)
        var batchCount = min(expectedCount, EntityBatch.rowCountMax)
        var keys: [(id: StoredID, row: Int64)] = []
        func visitKeys() throws -> Bool {
            batch.read(keys.lazy.map(\.row))
            for (index, key) in keys.enumerated() {
                let goesOn = try batch.record(index) {
                    try visit(StoredKey(library: library, type: type, id: key.id), $0)
                }
                guard goesOn else { return false }
            }
            keys.removeAll(keepingCapacity: true)
            batchCount = min(batchCount * 4, EntityBatch.rowCountMax)
            return true
        }
        while text != nil || uuid != nil {
            let isText = uuid == nil || text.map { text in uuid.map { text.text < $0.text } ?? true } ?? false
            guard let id = isText ? text : uuid else { break }
            // The lower bound of the blobs is inclusive, so the first blob may not be after `after`.
            if after.map({ id.text <= $0 }) != true {
                keys.append((id, (isText ? texts : blobs).integer(1)))
                if keys.count >= batchCount, try !visitKeys() { return false }
            }
            do {
                if isText { text = try next(texts) } else { uuid = try next(blobs) }
            } catch {
                // The entities before the damage are still visited.
                guard try visitKeys() else { return false }
                throw error
            }
        }
        return try visitKeys()
    }

    private func next(_ statement: PreparedStatement) throws -> StoredID? {
        guard try statement.step() else { return nil }
        guard let id = statement.storedID(0) else { throw SQLiteError.damaged("a key's blob is no UUID") }
        return id
    }
}
