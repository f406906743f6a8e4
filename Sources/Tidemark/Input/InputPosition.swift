import TidemarkModel

/// How far one input was applied, and how to tell its reader what is durable.
struct InputPosition {
    /// The last line that was applied, or is held.
    var lines: Int64 = 0
    /// The last line that was acknowledged.
    var acknowledged: Int64 = 0
    /// Whether the input has bytes that its reader has not seen.
    var hasUnread: @Sendable () -> Bool
    /// The last line that the reader has taken from the input.
    var readLineCount: @Sendable () -> Int64
    /// Bounded: a slow reader misses earlier acknowledgements, which the later ones include.
    var acknowledgements: AsyncStream<Acknowledgement>.Continuation

    /// Whether there is something that the cache has not seen, in the input or on its way: late events may still come.
    /// The count is looked at last: what is read between the two looks shows in it.
    var mayBringLateEvents: Bool { hasUnread() || readLineCount() > lines }
}
