import TidemarkModel

/// How far one input was applied, and how to tell its reader what is durable.
struct InputPosition {
    /// The last line that was applied, or is held.
    var lines: Int64 = 0
    /// The last line that was acknowledged.
    var acknowledged: Int64 = 0
    /// Whether the reader has bytes that the cache has not seen: then late events may still come.
    var hasUnread: @Sendable () -> Bool
    /// Bounded: a slow reader misses earlier acknowledgements, which the later ones include.
    var acknowledgements: AsyncStream<Acknowledgement>.Continuation
}
