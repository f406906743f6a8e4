import TidemarkModel

/// A query with its list, as a journal stores it.
public struct QueryRecord: Hashable, Sendable {
    /// The query's number, assigned by the store from 1 on. No number is reused in the life of a database.
    public var number: Int64
    /// The library that the query reads.
    public var library: LibraryIndex
    /// The resource type of the list's elements.
    public var type: TypeIndex
    /// The method that the query calls.
    public var method: ByteString
    /// The input as canonical JSON.
    public var input: ByteString
    /// The tags as compact JSON; empty if there are none.
    public var tags: ByteString
    /// The membership rule as compact JSON; empty if the query has none.
    public var membership: ByteString
    /// True if the query is evaluated over the store; false if a server answers it.
    public var isLocal: Bool
    /// How long a response stays fresh, in milliseconds; nil if it never expires.
    public var timeToLive: Int64?
    /// The position in the log up to which the server's response is current; nil when unknown.
    public var asOf: EventSequence?
    /// When the last response was stored, in milliseconds since 1970.
    public var storedAt: Int64
    /// When the query was invalidated, in milliseconds since 1970; nil while it is fresh.
    public var staleSince: Int64?
    /// The sort key up to which the list is complete; nil if the whole list is complete.
    public var horizon: [UInt8]?
    /// The elements in list order.
    public var elements: [QueryElement]

    /// The most bytes of a list that a journal stores in one row: 256 MiB.
    public static let listByteCountMax = 256 << 20

    /// An upper bound of how many bytes the list takes in a row, its horizon included.
    ///
    /// - Complexity: O(elements).
    var listByteCount: Int {
        elements.reduce(16 + (horizon?.count ?? 0)) { $0 + 16 + $1.id.byteCount + $1.sortKey.count }
    }

    /// Creates the record of a query.
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

/// One element of a stored list. Its library and type are those of the query.
public struct QueryElement: Hashable, Sendable {
    /// The id of the listed entity.
    public var id: StoredID
    /// The key that orders the element in its list; empty if the query has no membership rule.
    public var sortKey: [UInt8]

    /// Creates an element.
    public init(id: StoredID, sortKey: [UInt8] = []) {
        self.id = id
        self.sortKey = sortKey
    }
}
