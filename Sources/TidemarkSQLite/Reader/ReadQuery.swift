import TidemarkModel
import TidemarkStore

/// One stored query as a reader gives it: verified, with its list.
public struct ReadQuery: Hashable, Sendable {
    /// Given once, never used again.
    public var number: Int64
    public var key: QueryKey
    /// The resource type of its elements.
    public var type: ByteString
    /// Compact JSON; empty when there are none.
    public var tags: ByteString
    /// Compact JSON; empty when the query declares none.
    public var membership: ByteString
    /// Evaluated over the store, not given by a server.
    public var isLocal: Bool
    /// Milliseconds; nil: never expires.
    public var timeToLive: Int64?
    /// The sequence that the server's answer stands for; nil when unknown.
    public var asOf: EventSequence?
    /// Milliseconds since 1970 of the last answer.
    public var storedAt: Int64
    /// Milliseconds since 1970; nil while nothing invalidated it.
    public var staleSince: Int64?
    /// In list order; library and type are the query's.
    let ids: [StoredID]

    init(_ record: QueryRecord, library: ByteString, type: ByteString) {
        number = record.number
        key = QueryKey(library: library, method: record.method, canonicalInput: record.input)
        self.type = type
        tags = record.tags
        membership = record.membership
        isLocal = record.isLocal
        timeToLive = record.timeToLive
        asOf = record.asOf
        storedAt = record.storedAt
        staleSince = record.staleSince
        ids = record.elements.map(\.id)
    }

    /// How long the list is.
    public var elementCount: Int { ids.count }

    /// The elements' keys, in list order.
    ///
    /// - Complexity: O(n), made at each call.
    public var keys: [EntityKey] {
        ids.map { EntityKey(library: key.library, type: type, id: $0.text) }
    }
}

/// One step of a walk over the queries.
public enum ReadQueryStep: Hashable, Sendable {
    /// The next query, ascending by number.
    case query(ReadQuery)
    case damaged(DamagedRow)
}
