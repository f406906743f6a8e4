/// The name of one entity: its library, its type, and its id within both.
///
/// - Source: Protocol/events.md, identity.
public struct EntityKey: Hashable, Sendable {
    public let library: ByteString
    public let type: ByteString
    public let id: ByteString

    /// - Parameter id: The id as a user or a host writes it; a UUID in hyphenated form is put into lower case.
    public init(library: ByteString = "", type: ByteString, id: ByteString) {
        self.library = library
        self.type = type
        self.id = EntityKey.canonicalID(id)
    }

    /// - Parameter canonicalID: An id from a key, or the text of a UUID.
    package init(library: ByteString, type: ByteString, canonicalID: ByteString) {
        self.library = library
        self.type = type
        id = canonicalID
    }

    /// The key as `type:id`, the form that people and hosts write. The only code that joins the two.
    public var text: ByteString {
        ByteString(type.bytes + [UInt8(ascii: ":")] + id.bytes)
    }

    /// Splits `type:id` at its first colon, which a type cannot contain.
    ///
    /// - Returns: nil when there is no colon, or nothing on one side of it.
    public init?(text: ByteString, library: ByteString = "") {
        guard let colon = text.bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            colon + 1 < text.bytes.count
        else { return nil }
        self.init(
            library: library, type: ByteString(text.bytes[..<colon]),
            id: ByteString(text.bytes[(colon + 1)...]))
    }

    /// Returns an id in the form of a key: a hyphenated UUID in lower case, any other id unchanged.
    public static func canonicalID(_ id: ByteString) -> ByteString {
        guard let value = id.bytes.withUnsafeBytes({ UUIDValue(text: $0) }) else { return id }
        return ByteString(value.text)
    }
}

extension EntityKey: Comparable {
    /// Compares by key order: libraries by bytes, then `type:id` by bytes (so `a-b:1` comes before `a:1`).
    public static func < (left: EntityKey, right: EntityKey) -> Bool {
        left.library == right.library ? left.text < right.text : left.library < right.library
    }
}
