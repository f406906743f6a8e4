import TidemarkModel

/// What a read of one entity by its key returns.
public enum EntityAnswer: Hashable, Sendable {
    /// The cache has the whole entity.
    case found(StoredResource)
    /// The cache does not have the entity, or not all of it.
    case missing(Miss)

    /// Why a read returns no entity.
    public enum Miss: String, Sendable {
        /// The entity was never seen, or was removed so long ago that the cache keeps no trace of it.
        case absent
        /// The entity, or a part of it, was evicted to stay within a limit. It has to be fetched again.
        case evicted
        /// An event deleted the entity.
        case deleted
    }
}

/// A resource with the time and sequence of its last write.
public struct StoredResource: Hashable, Sendable {
    /// The resource as JSON without insignificant white space. A resource that no merge and no edit has changed is as
    /// it arrived, byte for byte.
    public var bytes: [UInt8]
    /// The sequence of the event that last wrote the resource; nil when that write had none.
    public var sequence: EventSequence?
    /// The time of the last write, in milliseconds since 1970.
    public var writtenAt: Int64
}

extension SyncCache {
    /// Counts a read of an entity or a query.
    ///
    /// - Parameter miss: Why the read returned nothing; nil when it returned something.
    func countRead(miss: EntityRead.Miss?) { tallies.answered(miss: miss) }
}
