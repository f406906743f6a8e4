import TidemarkModel

/// A query as the journal keeps it, with its list.
public struct QueryRecord: Hashable, Sendable {
    /// The query's number: assigned by the store from 1 on, never used twice in the life of a database.
    public var number: Int64
    public var library: LibraryIndex
    public var type: TypeIndex
    public var method: ByteString
    /// The input as canonical JSON.
    public var input: ByteString
    /// The tags as compact JSON; empty when there are none.
    public var tags: ByteString
    /// The rule as compact JSON; empty when the query declares none.
    public var membership: ByteString
    /// Whether the query is evaluated over the store, not answered by a server.
    public var isLocal: Bool
    /// The time until the answer expires, in milliseconds; nil: never.
    public var timeToLive: Int64?
    /// The sequence that the server's answer stands for; nil when unknown.
    public var asOf: EventSequence?
    /// The time of the last answer, in milliseconds since 1970.
    public var storedAt: Int64
    /// The time when the query was invalidated, in milliseconds since 1970; nil while it is not.
    public var staleSince: Int64?
    /// The sort key up to which the list is complete; nil: all of it is complete.
    public var horizon: [UInt8]?
    /// The elements in list order.
    public var elements: [QueryElement]

    /// The number of bytes of a list that a journal stores in one row at most: 256 MiB.
    public static let listByteCountMax = 256 << 20

    /// An upper bound of the number of bytes that the list takes in a row; not less than its horizon takes.
    ///
    /// - Complexity: O(elements).
    var listByteCount: Int {
        elements.reduce(16 + (horizon?.count ?? 0)) { $0 + 16 + $1.id.byteCount + $1.sortKey.count }
    }

    public init(
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
public struct QueryElement: Hashable, Sendable {
    public var id: StoredID
    /// The key that orders the element in its list; empty when the query declares no membership.
    public var sortKey: [UInt8]

    public init(id: StoredID, sortKey: [UInt8] = []) {
        self.id = id
        self.sortKey = sortKey
    }
}
