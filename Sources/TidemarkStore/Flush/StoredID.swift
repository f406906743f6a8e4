import TidemarkModel

/// An entity's id in the form of the store and the journal: 16 bytes for a UUID, else its text.
package enum StoredID: Hashable, Sendable {
    case uuid(UUIDValue)
    case text(ByteString)

    /// - Parameter id: The canonical id, as ``TidemarkModel/EntityKey/id``.
    package init(_ id: ByteString) {
        if let value = id.bytes.withUnsafeBytes({ UUIDValue(text: $0) }) {
            self = .uuid(value)
        } else {
            self = .text(id)
        }
    }

    package var isUUID: Bool {
        if case .uuid = self { true } else { false }
    }

    /// The number of bytes: 16 for a UUID, else those of the text.
    package var byteCount: Int {
        switch self {
        case .uuid: 16
        case .text(let text): text.bytes.count
        }
    }

    /// Calls `body` with the 16 bytes of a UUID, or with those of the text.
    package func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch self {
        case .uuid(let value): value.withBytes(body)
        case .text(let text): text.bytes.withUnsafeBytes(body)
        }
    }

    /// The canonical text.
    package var text: ByteString {
        switch self {
        case .uuid(let value): ByteString(value.text)
        case .text(let text): text
        }
    }
}

/// An entity's key with the database's own numbers for library and type.
package struct StoredKey: Hashable, Sendable {
    package var library: LibraryIndex
    package var type: TypeIndex
    package var id: StoredID

    package init(library: LibraryIndex, type: TypeIndex, id: StoredID) {
        self.library = library
        self.type = type
        self.id = id
    }
}
