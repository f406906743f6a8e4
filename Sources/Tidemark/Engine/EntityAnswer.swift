import TidemarkModel

/// What a read gives.
public enum EntityAnswer: Hashable, Sendable {
    case found(StoredResource)
    case missing(Miss)

    /// Why there is nothing to give.
    public enum Miss: String, Sendable {
        /// Never seen, or forgotten so long ago that nobody remembers.
        case absent
        /// Dropped to make room.
        case evicted
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
    var misses: [EntityRead.Miss: Int64] = Dictionary(uniqueKeysWithValues: EntityRead.Miss.allCases.map { ($0, 0) })
}

extension SyncCache {
    /// Counts a read of an entity or a query.
    ///
    /// - Parameter miss: nil: there was an answer.
    func countRead(miss: EntityRead.Miss?) {
        if let miss { readCounts.misses[miss, default: 0] += 1 } else { readCounts.hits += 1 }
        metrics.recordRead(miss: miss)
    }
}
