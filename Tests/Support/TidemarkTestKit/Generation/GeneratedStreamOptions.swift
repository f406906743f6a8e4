/// Options for a generated stream. The seed decides the mix within these bounds.
package struct GeneratedStreamOptions: Sendable {
    /// The number of lines before faults.
    package var lineCount = 300
    /// The maximum number of libraries; the last may be the default one.
    package var libraryCountMax = 3
    /// True if logs may begin anew: other epochs, `Reset`, heartbeats below the cursor.
    package var hasEpochs = false
    /// True if heartbeats may be ahead of what the stream has delivered.
    package var hasHeartbeats = true
    /// True to include events without a sequence. They take effect where they arrive, which reveals disorder.
    package var hasUnsequenced = true
    /// True to include lines that must go to quarantine.
    package var hasBadLines = true
    /// True to drop, repeat, move and cut lines.
    package var hasFaults = true
    /// The line limit in force if it is small enough to be exceeded; nil leaves `too_long` out.
    package var lineByteCountMax: Int?
    /// The batch limit in force if it is small enough to be exceeded; nil leaves `batch_too_large` out.
    package var batchCountMax: Int?

    /// Creates the default options.
    package init() {}
}
