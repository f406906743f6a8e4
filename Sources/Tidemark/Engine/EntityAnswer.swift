import TidemarkModel

/// The answer to a read of one entity.
public enum EntityAnswer: Hashable, Sendable {
    case found(StoredResource)
    case missing(Miss)

    /// The reason why there is no entity.
    public enum Miss: String, Sendable {
        /// The entity was never seen, or was removed so long ago that the cache keeps no trace of it.
        case absent
        /// The entity was evicted.
        case evicted
        /// The entity was deleted by an event.
        case deleted
    }
}

/// A resource and the time when it was written.
public struct StoredResource: Hashable, Sendable {
    /// The JSON as it arrived, byte for byte, without insignificant white space.
    public var bytes: [UInt8]
    /// The sequence of the last event that wrote the resource; nil when that event had none.
    public var sequence: EventSequence?
    /// The time of the last write, in milliseconds since 1970.
    public var writtenAt: Int64
}

extension SyncCache {
    /// Counts a read of an entity or a query.
    ///
    /// - Parameter miss: The reason why there was no answer; nil: there was one.
    func countRead(miss: EntityRead.Miss?) { tallies.answered(miss: miss) }
}
