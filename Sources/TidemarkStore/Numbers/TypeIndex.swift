/// A resource type's small number, assigned once and kept for the life of a database.
@frozen
public struct TypeIndex: TypedIndex {
    /// The type's position in the order in which the database first saw its types, from 0.
    public let rawValue: UInt16

    @inlinable
    /// Creates the index with a raw value.
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    @inlinable
    /// Creates the index from a literal.
    public init(integerLiteral value: UInt16) { self.init(rawValue: value) }

    @inlinable
    /// The raw value in decimal digits.
    public var description: String { rawValue.description }

    @inlinable
    /// Orders types by their raw values.
    public static func < (left: TypeIndex, right: TypeIndex) -> Bool { left.rawValue < right.rawValue }
}
