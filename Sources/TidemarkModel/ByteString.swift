/// A name as bytes: compared and ordered as bytes, never by Unicode equivalence (law L11).
///
/// Swift's `String` treats canonically equivalent spellings as equal; on the wire they are different names. A
/// `ByteString` keeps the bytes as they arrived.
public struct ByteString: Hashable, Comparable, Sendable {
    /// The UTF-8 bytes, as they arrived.
    public let bytes: [UInt8]

    /// - Complexity: O(n), one copy.
    public init(_ bytes: some Sequence<UInt8>) {
        self.bytes = Array(bytes)
    }

    public init(_ string: String) {
        self.bytes = Array(string.utf8)
    }

    /// The bytes as text, for printing; bytes that are not UTF-8 become U+FFFD.
    public var description: String { String(decoding: bytes, as: UTF8.self) }

    public static func < (left: ByteString, right: ByteString) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }
}

extension ByteString: ExpressibleByStringLiteral, CustomStringConvertible {
    public init(stringLiteral value: String) {
        self.init(value)
    }
}
