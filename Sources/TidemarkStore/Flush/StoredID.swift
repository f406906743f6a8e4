import TidemarkModel

/// An entity's id in the form of the store and the journal: 16 bytes for a UUID, else its text.
public enum StoredID: Hashable, Sendable {
    case uuid(UUIDValue)
    case text(ByteString)

    /// - Parameter id: The canonical id, as ``TidemarkModel/EntityKey/id``.
    public init(_ id: ByteString) {
        if let value = id.bytes.withUnsafeBytes({ UUIDValue(text: $0) }) {
            self = .uuid(value)
        } else {
            self = .text(id)
        }
    }

    public var isUUID: Bool {
        if case .uuid = self { true } else { false }
    }

    /// The number of bytes: 16 for a UUID, else those of the text.
    public var byteCount: Int {
        switch self {
        case .uuid: 16
        case .text(let text): text.bytes.count
        }
    }

    /// Calls `body` with the 16 bytes of a UUID, or with those of the text.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch self {
        case .uuid(let value): value.withBytes(body)
        case .text(let text): text.bytes.withUnsafeBytes(body)
        }
    }

    /// The canonical text.
    public var text: ByteString {
        switch self {
        case .uuid(let value): ByteString(value.text)
        case .text(let text): text
        }
    }
}

/// An entity's key with the database's own numbers for library and type.
public struct StoredKey: Hashable, Sendable {
    public var library: LibraryIndex
    public var type: TypeIndex
    public var id: StoredID

    public init(library: LibraryIndex, type: TypeIndex, id: StoredID) {
        self.library = library
        self.type = type
        self.id = id
    }
}
