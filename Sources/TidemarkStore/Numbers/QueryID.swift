/// A query's number in memory: its index among the entries of `QueryIndex`.
@frozen
@usableFromInline
package struct QueryID: TypedIndex {
    /// The query's position among the entries of `QueryIndex`.
    @usableFromInline package let rawValue: UInt32

    @inlinable
    /// Creates the number with a raw value.
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The number that means "no query".
    @inlinable
    package static var none: QueryID { QueryID(rawValue: .max) }
}
