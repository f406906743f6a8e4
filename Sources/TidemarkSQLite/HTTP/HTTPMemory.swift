import TidemarkHTTPRecords
import TidemarkModel
import TidemarkStore

/// What the writer remembers of the stored HTTP responses between transactions, without reading them.
struct HTTPMemory {
    /// A confirmation by the server that is not written yet.
    struct Update {
        var head: [UInt8]
        var answeredAt: Int64
    }

    /// The highest number of a response or draft, on the disk or since the file was opened.
    var lastNumber: Int64 = 0
    /// The bytes of all responses, including their heads.
    var byteCount: Int64 = 0
    var count: Int64 = 0
    /// The number of responses that end with the process.
    var sessionCount: Int64 = 0
    /// The number of bodies on the disk that no response refers to. If it is not 0, the next opening searches for them.
    var unfinishedCount: Int64 = 0
    var salt: Int64?
    /// The latest time at which a response was received or confirmed, in milliseconds since 1970; 0 before the first.
    var lastAnsweredAt: Int64 = 0
    /// The confirmations that are not written yet, by response. Bounded by ``updateCountMax``.
    var updates: [Int64: Update] = [:]
    /// The bodies that are being written, with true once a chunk is on the disk. Bounded by the running exchanges.
    var drafts: [Int64: Bool] = [:]
    /// The bodies of removed responses that are still being read. Bounded by the readers.
    var orphans: Set<Int64> = []

    /// The number of unwritten confirmations at which all are written: 1,000.
    static let updateCountMax = 1_000

    init() {}

    /// Reads the totals from the counters.
    ///
    /// - Complexity: O(log n).
    init(_ counters: [String: Int64], _ connection: OpaquePointer) throws {
        // A damaged counter must not lead to a number being reused whose row or chunks exist.
        lastNumber = max(
            try CounterTable.count(HTTPMemory.numberCounter, in: counters),
            try PreparedStatement.number(connection, "SELECT max(number) FROM http_answers") ?? 0,
            (try PreparedStatement.number(connection, "SELECT max(place) FROM http_chunks") ?? 0)
                / HTTPTable.chunkCountMax)
        guard lastNumber < StoredNumber.max / HTTPTable.chunkCountMax else {
            throw SQLiteError.damaged("the last number of an HTTP answer is \(lastNumber)")
        }
        byteCount = try CounterTable.count(HTTPMemory.bytesCounter, in: counters)
        count = try CounterTable.count(HTTPMemory.countCounter, in: counters)
        sessionCount = try CounterTable.count(HTTPMemory.sessionCounter, in: counters)
        unfinishedCount = try CounterTable.count(HTTPMemory.unfinishedCounter, in: counters)
        salt = counters[HTTPMemory.saltCounter]
        lastAnsweredAt = counters[HTTPMemory.answeredCounter].flatMap { StoredNumber.isMoment($0) ? $0 : nil } ?? 0
    }

    func write(_ counters: CounterTable) throws {
        try counters.write(HTTPMemory.numberCounter, lastNumber)
        try counters.write(HTTPMemory.bytesCounter, byteCount)
        try counters.write(HTTPMemory.countCounter, count)
        try counters.write(HTTPMemory.sessionCounter, sessionCount)
        try counters.write(HTTPMemory.unfinishedCounter, unfinishedCount)
        try counters.write(HTTPMemory.answeredCounter, lastAnsweredAt)
    }

    static let numberCounter = "http_number"
    static let bytesCounter = "http_bytes"
    static let countCounter = "http_answers"
    static let sessionCounter = "http_session_answers"
    static let unfinishedCounter = "http_unfinished"
    static let saltCounter = "http_salt"
    static let answeredCounter = "http_answered_at"
}

/// What must happen outside the file once a transaction on stored HTTP responses is committed.
struct HTTPWriting {
    var removedCount = 0
    /// The groups of URLs whose responses changed; nil for all of them.
    var places: Set<Int>? = []
    var uses: [Int64: HTTPLedger.Use] = [:]

    mutating func changed(_ place: Int) { places?.insert(place) }
}
