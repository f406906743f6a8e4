/// The progress of a running ingest.
struct IngestProgress: Sendable {
    /// Lines that were applied or are held.
    var lineCount: Int64
    /// Events that wait for a missing one.
    var heldCount: Int
    /// Lines that are durable, together with all lines before them.
    var durableLineCount: Int64
    /// Messages of a stream that were not read yet; nil for standard input.
    var pendingCount: Int64?
}
