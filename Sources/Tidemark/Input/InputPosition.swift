import TidemarkModel

/// How much of one input was applied, and how its reader is notified of durable lines.
struct InputPosition {
    /// The number of the last line that was applied or is held.
    var lines: Int64 = 0
    /// The number of the last line that was acknowledged.
    var acknowledged: Int64 = 0
    /// Returns true if the input has bytes that nobody has read.
    var hasUnread: @Sendable () -> Bool
    /// Returns the number of the last line that the reader has taken from the input.
    var readLineCount: @Sendable () -> Int64
    /// Where acknowledgements are sent. Bounded: a slow reader misses earlier ones, which later ones include.
    var acknowledgements: AsyncStream<Acknowledgement>.Continuation

    /// True if the input, or its reader, has lines that the cache has not seen, so that late events may still arrive.
    /// The count is read last, so that it includes lines that are read between the two tests.
    var mayBringLateEvents: Bool { hasUnread() || readLineCount() > lines }
}
