/// A position in a library's log: 0 … 2^63-1 within one epoch.
///
/// ```swift
/// let sequence = EventSequence(7)
/// print(sequence.successor.rawValue, sequence < .last)  // 8 true
/// ```
///
/// - Source: Protocol/sequencing.md.
public struct EventSequence: Hashable, Comparable, Sendable {
    /// The position as a number.
    public let rawValue: Int64

    /// Makes a position of a number; a negative one other than -1 has no meaning.
    @inlinable
    public init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }

    /// The position before 0, with the number -1: nothing was applied yet and 0 is missing. It is never printed.
    public static let beforeFirst = EventSequence(-1)

    /// Orders positions of one log. Positions of different logs cannot be compared.
    @inlinable
    public static func < (left: EventSequence, right: EventSequence) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The last possible position, 2^63-1.
    public static let last = EventSequence(.max)

    /// The next position; ``last`` for itself.
    @inlinable
    public var successor: EventSequence { rawValue == .max ? self : EventSequence(rawValue + 1) }

    /// The position before this one; ``beforeFirst`` for 0 and for itself.
    @inlinable
    public var predecessor: EventSequence { rawValue < 0 ? .beforeFirst : EventSequence(rawValue - 1) }
}
