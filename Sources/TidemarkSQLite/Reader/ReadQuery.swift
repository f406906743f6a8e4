import TidemarkModel
import TidemarkStore

/// One stored query as a reader returns it: it passed its check, and has its list.
public struct ReadQuery: Hashable, Sendable {
    /// The number of the query, which is never used again for another one.
    public var number: Int64
    public var key: QueryKey
    /// The resource type of its elements.
    public var type: ByteString
    /// The tags as compact JSON; empty when there are none.
    public var tags: ByteString
    /// The rule as compact JSON; empty when the query declares none.
    public var membership: ByteString
    /// Whether the list is evaluated over the store, and not received from a server.
    public var isLocal: Bool
    /// The lifetime in milliseconds; nil when the query never expires.
    public var timeToLive: Int64?
    /// The sequence that the server's answer stands for; nil when it is unknown.
    public var asOf: EventSequence?
    /// The time of the last answer, in milliseconds since 1970.
    public var storedAt: Int64
    /// The time when the query was invalidated, in milliseconds since 1970; nil when it is not stale.
    public var staleSince: Int64?
    /// The ids of the elements in list order; library and type are those of the query.
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

    /// The number of elements in the list.
    public var elementCount: Int { ids.count }

    /// The elements' keys, in list order.
    ///
    /// - Complexity: O(n); the array is created at each call.
    public var keys: [EntityKey] {
        ids.map { EntityKey(library: key.library, type: type, id: $0.text) }
    }
}

/// One step of a scan over the queries.
public enum ReadQueryStep: Hashable, Sendable {
    /// The next query, ascending by number.
    case query(ReadQuery)
    case damaged(DamagedRow)
}
