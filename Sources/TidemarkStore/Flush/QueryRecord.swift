import TidemarkModel

/// A query as the journal keeps it, with its list.
package struct QueryRecord: Hashable, Sendable {
    /// The query's number: assigned by the store from 1 on, never used twice in the life of a database.
    package var number: Int64
    package var library: LibraryIndex
    package var type: TypeIndex
    package var method: ByteString
    /// The input as canonical JSON.
    package var input: ByteString
    /// The tags as compact JSON; empty when there are none.
    package var tags: ByteString
    /// The rule as compact JSON; empty when the query declares none.
    package var membership: ByteString
    /// Whether the query is evaluated over the store, not answered by a server.
    package var isLocal: Bool
    /// The time until the answer expires, in milliseconds; nil: never.
    package var timeToLive: Int64?
    /// The sequence that the server's answer stands for; nil when unknown.
    package var asOf: EventSequence?
    /// The time of the last answer, in milliseconds since 1970.
    package var storedAt: Int64
    /// The time when the query was invalidated, in milliseconds since 1970; nil while it is not.
    package var staleSince: Int64?
    /// The sort key up to which the list is complete; nil: all of it is complete.
    package var horizon: [UInt8]?
    /// The elements in list order.
    package var elements: [QueryElement]

    /// The number of bytes of a list that a journal stores in one row at most: 256 MiB.
    package static let listByteCountMax = 256 << 20

    /// An upper bound of the number of bytes that the list takes in a row; not less than its horizon takes.
    ///
    /// - Complexity: O(elements).
    var listByteCount: Int {
        elements.reduce(16 + (horizon?.count ?? 0)) { $0 + 16 + $1.id.byteCount + $1.sortKey.count }
    }

    package init(
        number: Int64, library: LibraryIndex, type: TypeIndex, method: ByteString, input: ByteString,
        tags: ByteString = "", membership: ByteString = "", isLocal: Bool = false, timeToLive: Int64? = nil,
        asOf: EventSequence? = nil, storedAt: Int64, staleSince: Int64? = nil, horizon: [UInt8]? = nil,
        elements: [QueryElement]
    ) {
        self.number = number
        self.library = library
        self.type = type
        self.method = method
        self.input = input
        self.tags = tags
        self.membership = membership
        self.isLocal = isLocal
        self.timeToLive = timeToLive
        self.asOf = asOf
        self.storedAt = storedAt
        self.staleSince = staleSince
        self.horizon = horizon
        self.elements = elements
    }
}

/// One element of a stored list. Its library and type are the query's.
package struct QueryElement: Hashable, Sendable {
    package var id: StoredID
    /// The key that orders the element in its list; empty when the query declares no membership.
    package var sortKey: [UInt8]

    package init(id: StoredID, sortKey: [UInt8] = []) {
        self.id = id
        self.sortKey = sortKey
    }
}
