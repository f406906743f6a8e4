/// What a synthetic stream consists of, to compare with a reader's own counts.
public struct SyntheticCounts: Hashable, Sendable {
    /// Lines of the stream, of all kinds.
    public var lines = 0
    /// Bytes of the stream.
    public var bytes = 0
    /// Events of the clean log, which are its lines.
    public var events = 0
    /// Resources in changes and batches of the clean log.
    public var resources = 0
    /// Batches of the clean log.
    public var batches = 0
    /// Changes with metadata in the clean log.
    public var merges = 0
    /// Deletes in the clean log.
    public var deletes = 0
    /// Events that the stream leaves out.
    public var dropped = 0
    /// Events that arrive late.
    public var delayed = 0
    /// Second copies of events that arrive twice.
    public var duplicated = 0
    /// Broken lines.
    public var broken = 0
    /// Heartbeats of the stream.
    public var heartbeats = 0

    /// Makes counts of zero.
    public init() {}
}
