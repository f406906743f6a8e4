import TidemarkModel
import TidemarkStore

/// Keys as in the tables `keys` and `tombstones`: three columns, in which the id is a blob of 16 bytes if it is a UUID,
/// and otherwise text. SQLite sorts all texts before all blobs, and both by their bytes.
extension PreparedStatement {
    /// Binds library, type and id at `index` and the two parameters after it; the id is copied.
    func bind(_ key: StoredKey, from index: Int32) {
        bind(index, Int64(key.library))
        bind(index + 1, Int64(key.type))
        switch key.id {
        case .uuid(let value): bind(index + 2, blob: value.bytes)
        case .text(let text): bind(index + 2, text: text)
        }
    }

    /// Binds library, type and id. The id's bytes must stay valid until the statement was run.
    func bindBorrowed(
        library: LibraryIndex, type: TypeIndex, id: UnsafeRawBufferPointer, isUUID: Bool, from index: Int32
    ) {
        bind(index, Int64(library))
        bind(index + 1, Int64(type))
        if isUUID { bindBorrowed(index + 2, blob: id) } else { bindBorrowed(index + 2, text: id) }
    }

    /// Reads a key from three columns; nil when they cannot be one.
    func storedKey(from column: Int32) -> StoredKey? {
        guard let library = LibraryIndex(exactly: integer(column)), let type = TypeIndex(exactly: integer(column + 1)),
            let id = storedID(column + 2)
        else { return nil }
        return StoredKey(library: library, type: type, id: id)
    }

    /// Reads an id; nil for a blob that does not have the length of a UUID.
    func storedID(_ column: Int32) -> StoredID? {
        isBlob(column) ? UUIDValue(bytes: borrowedBytes(column)).map { .uuid($0) } : .text(text(column))
    }
}
