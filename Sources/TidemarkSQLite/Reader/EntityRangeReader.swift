import TidemarkModel
import TidemarkStore

/// Walks the entities of one type in the order of their ids' text.
///
/// The table holds UUIDs as blobs behind all texts; the two runs are merged by the bytes of their text.
/// UUIDs sort alike as 16 bytes and as text, because the hyphens stand at fixed places.
struct EntityRangeReader {
    private let texts: PreparedStatement
    private let blobs: PreparedStatement

    init(_ connection: OpaquePointer) throws {
        func select(_ condition: String) -> String {
            """
            SELECT k.id, k."row", e.sequence, e.generation, e.written_at, e.body FROM keys k
            LEFT JOIN entities e ON e."row" = k."row" WHERE k.library = ?1 AND k.type = ?2 AND \(condition) ORDER BY k.id
            """
        }
        // Every text sorts before the empty blob, every UUID behind it.
        texts = try PreparedStatement(connection, select("k.id > ?3 AND k.id < x''"))
        blobs = try PreparedStatement(connection, select("k.id >= ?3"))
    }

    /// - Parameters:
    ///   - after: An id's text; nil to begin at the first.
    ///   - visit: Given the key and a row with columns id, row, sequence, generation, written_at, body; returns false to
    ///     stop.
    /// - Returns: False when `visit` stopped it.
    func forEach(
        library: LibraryIndex, type: TypeIndex, after: ByteString?,
        _ visit: (StoredKey, PreparedStatement) throws -> Bool
    ) throws -> Bool {
        defer {
            texts.reset()
            blobs.reset()
        }
        for statement in [texts, blobs] {
            statement.bind(1, Int64(library))
            statement.bind(2, Int64(type))
        }
        texts.bind(3, text: after ?? "")
        blobs.bind(3, blob: after.map { UUIDLowerBound.bytes(behind: $0.bytes) } ?? [])

        var text = try next(texts)
        var uuid = try next(blobs)
        while text != nil || uuid != nil {
            let isText = uuid == nil || text.map { text in uuid.map { text.text < $0.text } ?? true } ?? false
            guard let id = isText ? text : uuid else { return true }
            let statement = isText ? texts : blobs
            // The bound of the blobs is inclusive, so one of them may not lie behind it.
            if after.map({ id.text <= $0 }) != true {
                guard try visit(StoredKey(library: library, type: type, id: id), statement) else { return false }
            }
            if isText { text = try next(texts) } else { uuid = try next(blobs) }
        }
        return true
    }

    private func next(_ statement: PreparedStatement) throws -> StoredID? {
        guard try statement.step() else { return nil }
        guard let id = statement.storedID(0) else { throw SQLiteFailure.damaged("a key's blob is no UUID") }
        return id
    }
}
