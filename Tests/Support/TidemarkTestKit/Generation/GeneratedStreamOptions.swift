/// The options of a generated stream. The mix within these bounds is drawn from the seed.
package struct GeneratedStreamOptions: Sendable {
    /// The number of lines before faults.
    package var lineCount = 300
    /// The number of libraries at most; the last may be the default one.
    package var libraryCountMax = 3
    /// Whether logs may begin anew: other epochs, `Reset`, heartbeats below the cursor.
    package var hasEpochs = false
    /// Whether heartbeats may be ahead of what the stream has delivered.
    package var hasHeartbeats = true
    /// Whether there are events without a sequence. They take effect where they arrive, so that disorder shows.
    package var hasUnsequenced = true
    /// Whether there are lines that must go to quarantine.
    package var hasBadLines = true
    /// Whether lines are dropped, repeated, moved and cut.
    package var hasFaults = true
    /// The line limit in force when it is small enough to be exceeded; nil leaves `too_long` out.
    package var lineByteCountMax: Int?
    /// The batch limit in force when it is small enough to be exceeded; nil leaves `batch_too_large` out.
    package var batchCountMax: Int?

    package init() {}
}
