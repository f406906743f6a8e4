/// Why a line cannot be used, and the envelope fields that could be read from it.
package struct ReferenceLineError: Error, Equatable, Sendable {
    /// Why the line cannot be used.
    package var reason: ReferenceReason
    /// The library that the line names; nil if it names no readable one.
    package var library: [UInt8]?
    /// The sequence of the line; nil if it names no valid one.
    package var sequence: Int64?
    /// The `prev` of the line; nil if absent or invalid.
    package var explicitPrevious: Int64?
    /// The epoch of the line; nil if it names no valid one.
    package var epoch: [UInt8]?

    /// Creates a rejection without any field.
    package init(_ reason: ReferenceReason) { self.reason = reason }

    /// Returns the sequence before the hole that this line leaves.
    package func previous(of sequence: Int64) -> Int64 { explicitPrevious ?? sequence - 1 }
}
