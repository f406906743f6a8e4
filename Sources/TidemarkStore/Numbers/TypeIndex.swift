/// A resource type's small number, assigned once and kept for the life of a database.
@frozen
@usableFromInline
package struct TypeIndex: TypedIndex {
    @usableFromInline package let rawValue: UInt16

    @inlinable
    package init(rawValue: UInt16) { self.rawValue = rawValue }
}
