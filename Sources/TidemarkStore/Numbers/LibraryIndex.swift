/// A library's small number, assigned once and kept for the life of a database: 0 … `libraryCountMax` - 1.
@frozen
@usableFromInline
package struct LibraryIndex: TypedIndex {
    @usableFromInline package let rawValue: UInt16

    @inlinable
    package init(rawValue: UInt16) { self.rawValue = rawValue }
}
