/// A query's number in memory: its index among the entries of `QueryIndex`.
@frozen
@usableFromInline
package struct QueryID: TypedIndex {
    @usableFromInline package let rawValue: UInt32

    @inlinable
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// The number that stands for no query.
    @inlinable
    package static var none: QueryID { QueryID(rawValue: .max) }
}
