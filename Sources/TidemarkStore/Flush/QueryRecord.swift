import TidemarkModel

/// A query as the journal keeps it, with its list.
package struct QueryRecord: Hashable, Sendable {
    /// Given by the store from 1 on, never used twice in the life of a database.
    package var number: Int64
    package var library: LibraryIndex
    package var type: TypeIndex
    package var method: ByteString
    /// Canonical JSON.
    package var input: ByteString
    /// Compact JSON; empty when there are none.
    package var tags: ByteString
    /// Compact JSON; empty when the query declares none.
    package var membership: ByteString
    /// Evaluated over the store, not given by a server.
    package var isLocal: Bool
    /// Milliseconds; nil: never expires.
    package var timeToLive: Int64?
    /// The sequence that the server's answer stands for; nil when unknown.
    package var asOf: EventSequence?
    /// Milliseconds since 1970 of the last answer.
    package var storedAt: Int64
    /// Milliseconds since 1970; nil while nothing invalidated it.
    package var staleSince: Int64?
    /// The sort key up to which the list is whole; nil: the list is whole.
    package var horizon: [UInt8]?
    /// In list order.
    package var elements: [QueryElement]

    /// Bytes of a list that a journal takes in one row: 256 MiB.
    package static let listByteCountMax = 256 << 20

    /// Not less than the list's bytes in a row, or than its horizon's.
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

/// One place in a stored list. Its library and type are the query's.
package struct QueryElement: Hashable, Sendable {
    package var id: StoredID
    /// Orders the element among its list's; empty when the query declares no membership.
    package var sortKey: [UInt8]

    package init(id: StoredID, sortKey: [UInt8] = []) {
        self.id = id
        self.sortKey = sortKey
    }
}
