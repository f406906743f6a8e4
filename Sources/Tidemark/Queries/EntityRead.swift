import TidemarkModel
import TidemarkStore

/// The result of a read of one entity.
public struct EntityRead: Hashable, Sendable {
    /// Why a read returns no entity.
    public enum Miss: String, Sendable, CaseIterable {
        /// The entity was never seen, or was removed so long ago that the cache keeps no trace of it.
        case absent
        /// The entity, or a wanted field of it, is too old for the reader.
        case expired
        /// The entity, or a wanted field of it, was evicted.
        case evicted
        /// The entity was deleted by an event or a transaction.
        case deleted
    }

    /// The resource as JSON, with the wanted fields; nil when there is none.
    public var entity: [UInt8]?
    /// True if an optimistic edit changes the entity.
    public var isPending: Bool
    /// The sequence that last wrote the entity; nil when unknown.
    public var sequence: EventSequence?
    /// True if the library is in the phase ``/TidemarkModel/LibraryPhase/stale``, or if the reader tolerated a field
    /// that is too old.
    public var isStale: Bool
    /// Why there is no entity; nil when there is one.
    public var miss: Miss?
    /// The field that is too old; set when the read returns nothing for that reason, and when the reader tolerates it.
    public var expired: ExpiredField?

    package init(entity: [UInt8]?, isPending: Bool, sequence: EventSequence?, isStale: Bool, miss: Miss?) {
        self.entity = entity
        self.isPending = isPending
        self.sequence = sequence
        self.isStale = isStale
        self.miss = miss
    }
}

/// A page of a type's entities, in key order.
public struct EntityPage: Hashable, Sendable {
    /// The resources as JSON.
    public var entities: [[UInt8]]
    /// The key to continue after; nil at the end.
    public var next: EntityKey?

    package init(entities: [[UInt8]], next: EntityKey?) {
        self.entities = entities
        self.next = next
    }
}
