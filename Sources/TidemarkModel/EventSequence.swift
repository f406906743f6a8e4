/// A position in a library's log: 0 … 2^63-1 within one epoch.
///
/// `beforeFirst` (-1) stands for "nothing yet, and 0 is missing"; it is never printed.
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

    /// - Precondition: Not the last sequence there is, 2^63-1.
    @inlinable
    public var successor: EventSequence { EventSequence(rawValue + 1) }

    /// One below; ``beforeFirst`` for 0.
    @inlinable
    public var predecessor: EventSequence { EventSequence(rawValue - 1) }
}
