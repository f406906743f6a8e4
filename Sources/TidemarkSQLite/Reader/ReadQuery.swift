import TidemarkModel
import TidemarkStore

/// A stored query with its list, which passed its check.
public struct ReadQuery: Hashable, Sendable {
    /// The number of the query, which is never reused for another one.
    public var number: Int64
    /// The library, method and input that identify the query.
    public var key: QueryKey
    /// The type of the entities in the list.
    public var type: ByteString
    /// The tags as compact JSON; empty when there are none.
    public var tags: ByteString
    /// The rule as compact JSON; empty when the query declares none.
    public var membership: ByteString
    /// True if the list is evaluated locally over the stored entities; false if a server returned it.
    public var isLocal: Bool
    /// The lifetime in milliseconds; nil when the query never expires.
    public var timeToLive: Int64?
    /// The sequence as of which the server responded; nil when unknown.
    public var asOf: EventSequence?
    /// When the last result was stored, in milliseconds since 1970.
    public var storedAt: Int64
    /// Since when the query is stale, in milliseconds since 1970; nil when it is not stale.
    public var staleSince: Int64?
    /// The ids of the elements in list order. Their library and type are those of the query.
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

/// One step of a scan over the stored queries.
public enum ReadQueryStep: Hashable, Sendable {
    /// The next query, in ascending order of numbers.
    case query(ReadQuery)
    /// A row that fails its check.
    case damaged(DamagedRow)
}
