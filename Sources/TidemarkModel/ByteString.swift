/// A name as bytes, compared and ordered as bytes and never by Unicode equivalence (law L11).
///
/// ```swift
/// let composed: ByteString = "caf\u{E9}"
/// let decomposed: ByteString = "cafe\u{301}"
/// print(composed == decomposed, composed.description == decomposed.description)  // false true
/// ```
///
/// Swift's `String` treats canonically equivalent spellings as equal, but on the wire they are different names. A
/// `ByteString` keeps the bytes as they arrived.
public struct ByteString: Hashable, Comparable, Sendable {
    /// The UTF-8 bytes, as they arrived.
    public let bytes: [UInt8]

    /// Copies bytes.
    ///
    /// - Complexity: O(n).
    public init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    /// Makes a name of the UTF-8 bytes of a string.
    public init(_ string: String) {
        self.bytes = Array(string.utf8)
    }

    /// The bytes as text; bytes that are not UTF-8 become U+FFFD.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    /// Returns true if two names have the same bytes.
    public static func == (left: ByteString, right: ByteString) -> Bool { ByteOrder.equal(left.bytes, right.bytes) }

    /// Orders names by their bytes.
    public static func < (left: ByteString, right: ByteString) -> Bool { ByteOrder.precedes(left.bytes, right.bytes) }

    /// Hashes the bytes at once, and not one after the other.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(bytes.count)
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }
}

extension ByteString: ExpressibleByStringLiteral, CustomStringConvertible {
    /// Makes a name of the UTF-8 bytes of a literal.
    public init(stringLiteral value: String) {
        self.init(value)
    }
}
