import TidemarkModel

/// The progress of one input: how much of it was applied, and how its reader is notified of durable lines.
struct InputPosition {
    /// The number of the last line that was applied or is held.
    var lines: Int64 = 0
    /// The number of the last line that was acknowledged.
    var acknowledged: Int64 = 0
    /// Tells whether the input has bytes that its reader has not read.
    var hasUnread: @Sendable () -> Bool
    /// Returns the number of the last line that the reader has taken from the input.
    var readLineCount: @Sendable () -> Int64
    /// The acknowledgements. Bounded: a slow reader misses earlier ones, which the later ones include.
    var acknowledgements: AsyncStream<Acknowledgement>.Continuation

    /// Whether lines that the cache has not seen are in the input or on their way: late events may still come. The
    /// count is read last: it includes any line that is read between the two tests.
    var mayBringLateEvents: Bool { hasUnread() || readLineCount() > lines }
}
