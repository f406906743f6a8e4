/// The counts of a synthetic stream, to compare with a reader's own counts.
public struct SyntheticCounts: Hashable, Sendable {
    /// The lines of the stream, all kinds together.
    public var lines = 0
    /// The bytes of the stream.
    public var bytes = 0
    /// The events of the clean log, which are its lines.
    public var events = 0
    /// The resources in changes and batches of the clean log.
    public var resources = 0
    /// The batches of the clean log.
    public var batches = 0
    /// The changes with metadata in the clean log.
    public var merges = 0
    /// The deletes in the clean log.
    public var deletes = 0
    /// The events that the stream leaves out.
    public var dropped = 0
    /// The events that come late.
    public var delayed = 0
    /// The events that come twice; only the second copies are counted.
    public var duplicated = 0
    /// The broken lines.
    public var broken = 0
    /// The heartbeats of the stream.
    public var heartbeats = 0

    public init() {}
}
