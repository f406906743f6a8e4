import TidemarkModel

/// What a read gives.
public enum EntityAnswer: Hashable, Sendable {
    case found(StoredResource)
    case missing(Miss)

    /// Why there is nothing to give.
    public enum Miss: String, Sendable {
        /// Never seen, or forgotten so long ago that nobody remembers.
        case absent
        /// Deleted by an event.
        case deleted
    }
}

/// A resource and when it was written.
public struct StoredResource: Hashable, Sendable {
    /// JSON, byte for byte as it arrived less insignificant white space.
    public var bytes: [UInt8]
    /// Sequence of the last event that wrote it; nil when that had none.
    public var sequence: EventSequence?
    /// Milliseconds since 1970.
    public var writtenAt: Int64
}

/// Reads by what came of them.
struct ReadCounts {
    var hits: Int64 = 0
    var absent: Int64 = 0
    var deleted: Int64 = 0
    var expired: Int64 = 0
    var evicted: Int64 = 0
}
