/// The reason why a line cannot be used, and the fields of its place in a log that could be read.
package struct ReferenceRejection: Error, Equatable, Sendable {
    package var reason: ReferenceReason
    /// The library that the line names; nil when the line names none that is readable.
    package var library: [UInt8]?
    package var sequence: Int64?
    /// The `prev` on the line; nil when there is none or it is not valid.
    package var explicitPrevious: Int64?
    package var epoch: [UInt8]?

    package init(_ reason: ReferenceReason) { self.reason = reason }

    /// The sequence before the hole that this line leaves.
    package func previous(of sequence: Int64) -> Int64 { explicitPrevious ?? sequence - 1 }
}
