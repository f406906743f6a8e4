/// A resource type's small number, assigned once and kept for the life of a database.
@frozen
public struct TypeIndex: TypedIndex {
    public let rawValue: UInt16

    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    @inlinable
    public init(integerLiteral value: UInt16) { self.init(rawValue: value) }

    @inlinable
    public var description: String { rawValue.description }

    @inlinable
    public static func < (left: TypeIndex, right: TypeIndex) -> Bool { left.rawValue < right.rawValue }
}
