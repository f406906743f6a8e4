import TidemarkModel

/// An entity's id as the store and journals keep it: 16 bytes for a UUID, otherwise its text.
///
/// ```swift
/// let short = StoredID("42")
/// let long = StoredID("5F0C3A51-8E0B-4D5C-9C55-0A6B7F1D2E3A")
/// print(short.byteCount, long.byteCount)  // 2 16
/// ```
public enum StoredID: Hashable, Sendable {
    /// The value of an id that is a UUID.
    case uuid(UUIDValue)
    /// The text of any other id.
    case text(ByteString)

    /// Creates an id from its text. A text in the form of a UUID becomes ``uuid(_:)``.
    ///
    /// - Parameter id: The canonical id, as ``/TidemarkModel/EntityKey/id``.
    public init(_ id: ByteString) {
        if let value = id.bytes.withUnsafeBytes({ UUIDValue(text: $0) }) {
            self = .uuid(value)
        } else {
            self = .text(id)
        }
    }

    /// True if the id is a UUID.
    public var isUUID: Bool {
        if case .uuid = self { true } else { false }
    }

    /// How many bytes the id takes: 16 for a UUID, otherwise those of the text.
    public var byteCount: Int {
        switch self {
        case .uuid: 16
        case .text(let text): text.bytes.count
        }
    }

    /// Calls `body` with the 16 bytes of a UUID, or with the bytes of the text. The buffer is valid only inside `body`.
    public func withBytes<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        switch self {
        case .uuid(let value): value.withBytes(body)
        case .text(let text): text.bytes.withUnsafeBytes(body)
        }
    }

    /// The id's canonical text, as in ``/TidemarkModel/EntityKey/id``.
    public var text: ByteString {
        switch self {
        case .uuid(let value): ByteString(value.text)
        case .text(let text): text
        }
    }
}

/// An entity's key, with this database's indexes of its library and type.
///
/// ```swift
/// let key = StoredKey(library: 0, type: 3, id: StoredID("42"))
/// print(key.id.text)
/// ```
public struct StoredKey: Hashable, Sendable {
    /// The index of the entity's library.
    public var library: LibraryIndex
    /// The index of the entity's resource type.
    public var type: TypeIndex
    /// The entity's id.
    public var id: StoredID

    /// Creates a key from its parts.
    public init(library: LibraryIndex, type: TypeIndex, id: StoredID) {
        self.library = library
        self.type = type
        self.id = id
    }
}
