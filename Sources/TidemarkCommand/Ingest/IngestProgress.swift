/// How far a running ingest is.
struct IngestProgress: Sendable {
    /// How many lines were applied or are held.
    var lineCount: Int64
    /// How many events are held for a missing one.
    var heldCount: Int
    /// How many lines are durable together with all lines before them.
    var durableLineCount: Int64
    /// How many messages of a stream are unread; nil for standard input.
    var pendingCount: Int64?
}
