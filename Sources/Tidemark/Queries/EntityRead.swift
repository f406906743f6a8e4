import TidemarkModel
import TidemarkStore

/// What a read of one entity gives.
public struct EntityRead: Hashable, Sendable {
    /// Why there is nothing to give.
    public enum Miss: String, Sendable, CaseIterable {
        /// Never seen, or forgotten so long ago that nobody remembers.
        case absent
        /// Too old for the reader.
        case expired
        /// Dropped to make room.
        case evicted
        /// Deleted by an event or a transaction.
        case deleted
    }

    /// The resource as JSON, as selected; nil when it is missing.
    public var entity: [UInt8]?
    public var isPending: Bool
    /// Sequence that the value stands for; nil when unknown.
    public var sequence: EventSequence?
    public var isStale: Bool
    /// nil when there is an entity.
    public var miss: Miss?
    /// Which field is too old, when that is why, and when one is too old and the reader puts up with it.
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
