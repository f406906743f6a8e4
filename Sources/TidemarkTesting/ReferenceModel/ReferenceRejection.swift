/// Why a line cannot be used, and what could be read of its place in a log.
package struct ReferenceRejection: Error, Equatable, Sendable {
    package var reason: ReferenceReason
    /// Nil when the line does not say, or does not say readably.
    package var library: [UInt8]?
    package var sequence: Int64?
    /// The `prev` on the line, if it is valid.
    package var explicitPrevious: Int64?
    package var epoch: [UInt8]?

    package init(_ reason: ReferenceReason) { self.reason = reason }

    /// The sequence that comes before the hole that this line leaves.
    package func previous(of sequence: Int64) -> Int64 { explicitPrevious ?? sequence - 1 }
}
