import TidemarkModel
import TidemarkStore

/// The answer to a read of one entity.
public struct EntityRead: Hashable, Sendable {
    /// The reason why a read returns no entity.
    public enum Miss: String, Sendable, CaseIterable {
        /// The entity was never seen, or was removed so long ago that the cache keeps no trace of it.
        case absent
        /// The entity is too old for the reader.
        case expired
        /// The entity was evicted.
        case evicted
        /// The entity was deleted by an event or a transaction.
        case deleted
    }

    /// The resource as JSON, with the selected fields; nil when it is missing.
    public var entity: [UInt8]?
    public var isPending: Bool
    /// The sequence that wrote the value; nil when unknown.
    public var sequence: EventSequence?
    public var isStale: Bool
    /// The reason why there is no entity; nil when there is one.
    public var miss: Miss?
    /// The field that is too old: set when the read returns no entity for that reason, and when the reader tolerates
    /// it.
    public var expired: ExpiredField?

    package init(entity: [UInt8]?, isPending: Bool, sequence: EventSequence?, isStale: Bool, miss: Miss?) {
        self.entity = entity
        self.isPending = isPending
        self.sequence = sequence
        self.isStale = isStale
        self.miss = miss
    }
}

/// A part of a type's entities, in key order.
public struct EntityPage: Hashable, Sendable {
    /// Resources as JSON.
    public var entities: [[UInt8]]
    /// The key to continue after; nil at the end.
    public var next: EntityKey?

    package init(entities: [[UInt8]], next: EntityKey?) {
        self.entities = entities
        self.next = next
    }
}
