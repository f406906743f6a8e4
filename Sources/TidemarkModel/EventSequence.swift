/// A position in a library's log: 0 … 2^63-1 within one epoch.
///
/// `beforeFirst` (-1) means that nothing was applied yet and 0 is missing; it is never printed.
public struct EventSequence: Hashable, Comparable, Sendable {
    public let rawValue: Int64

    @inlinable
    public init(_ rawValue: Int64) {
        self.rawValue = rawValue
    }

    public static let beforeFirst = EventSequence(-1)

    @inlinable
    public static func < (left: EventSequence, right: EventSequence) -> Bool {
        left.rawValue < right.rawValue
    }

    /// The last possible sequence, 2^63-1.
    public static let last = EventSequence(.max)

    /// The next sequence; ``last`` for itself.
    @inlinable
    public var successor: EventSequence { rawValue == .max ? self : EventSequence(rawValue + 1) }

    /// The sequence before this one; ``beforeFirst`` for 0 and for itself.
    @inlinable
    public var predecessor: EventSequence { rawValue < 0 ? .beforeFirst : EventSequence(rawValue - 1) }
}
