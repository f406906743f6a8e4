/// A library's small number, assigned once and kept for the life of a database: 0 … `libraryCountMax` - 1.
@frozen
public struct LibraryIndex: TypedIndex {
    public let rawValue: UInt16

    @inlinable
    public init(rawValue: UInt16) { self.rawValue = rawValue }

    @inlinable
    public init(integerLiteral value: UInt16) { self.init(rawValue: value) }

    @inlinable
    public var description: String { rawValue.description }

    @inlinable
    public static func < (left: LibraryIndex, right: LibraryIndex) -> Bool { left.rawValue < right.rawValue }
}
