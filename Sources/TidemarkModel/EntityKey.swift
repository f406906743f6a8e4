/// The identity of an entity: its library, its type, and its id within both.
///
/// ```swift
/// let key = EntityKey(library: "home", type: "photo", id: "1")
/// print(key.text)  // photo:1
/// print(EntityKey(text: "photo:1", library: "home") == key)  // true
/// ```
///
/// - Source: Protocol/events.md, identity.
public struct EntityKey: Hashable, Sendable {
    /// The library; empty for the default one of most sources.
    public let library: ByteString
    /// The resource type on the wire, under its own name and not an alias.
    public let type: ByteString
    /// The id; a UUID is in lower case.
    public let id: ByteString

    /// Makes a key.
    ///
    /// - Parameters:
    ///   - library: The library.
    ///   - type: The resource type.
    ///   - id: The id as a user or a host writes it. A UUID in hyphenated form is converted to lower case.
    public init(library: ByteString = "", type: ByteString, id: ByteString) {
        self.library = library
        self.type = type
        self.id = EntityKey.canonicalID(id)
    }

    /// Makes a key of an id that is in canonical form already.
    ///
    /// - Parameter canonicalID: An id of a key, or the text of a UUID.
    package init(library: ByteString, type: ByteString, canonicalID: ByteString) {
        self.library = library
        self.type = type
        id = canonicalID
    }

    /// The key as `type:id`, the form that people and hosts write. This is the only code that joins the two.
    public var text: ByteString {
        ByteString(type.bytes + [UInt8(ascii: ":")] + id.bytes)
    }

    /// Splits `type:id` at its first colon, which a type cannot contain.
    ///
    /// - Returns: nil when there is no colon, or nothing before or after it.
    public init?(text: ByteString, library: ByteString = "") {
        guard let colon = text.bytes.firstIndex(of: UInt8(ascii: ":")), colon > 0,
            colon + 1 < text.bytes.count
        else { return nil }
        self.init(
            library: library, type: ByteString(text.bytes[..<colon]),
            id: ByteString(text.bytes[(colon + 1)...]))
    }

    /// Returns an id as keys have it: a hyphenated UUID in lower case, any other id unchanged.
    public static func canonicalID(_ id: ByteString) -> ByteString {
        guard let value = id.bytes.withUnsafeBytes({ UUIDValue(text: $0) }) else { return id }
        return ByteString(value.text)
    }
}

extension EntityKey: Comparable {
    /// Orders keys: libraries by bytes, then `type:id` by bytes, so that `a-b:1` precedes `a:1`.
    public static func < (left: EntityKey, right: EntityKey) -> Bool {
        left.library == right.library ? left.text < right.text : left.library < right.library
    }
}
