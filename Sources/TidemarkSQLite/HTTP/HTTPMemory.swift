import TidemarkModel
import TidemarkStore

/// The totals that the journal knows of the stored HTTP answers without reading them.
struct HTTPMemory {
    /// A confirmation that is not written yet.
    struct Update {
        var head: [UInt8]
        var answeredAt: Int64
    }

    /// The highest number that an answer or a draft ever had in this opening, or has on the disk.
    var lastNumber: Int64 = 0
    /// The bytes of all answers, heads included.
    var byteCount: Int64 = 0
    var count: Int64 = 0
    /// The number of answers that end with the process.
    var sessionCount: Int64 = 0
    /// The number of bodies on the disk that no answer refers to. The next opening looks for them when it is not 0.
    var unfinishedCount: Int64 = 0
    var salt: Int64?
    /// The latest instant at which an answer came or was confirmed; 0 before the first.
    var lastAnsweredAt: Int64 = 0
    /// The confirmations that are not written yet, by answer. Bounded by ``updateCountMax``.
    var updates: [Int64: Update] = [:]
    /// The bodies that are being written, with whether a chunk is on the disk. Bounded by the exchanges under way.
    var drafts: [Int64: Bool] = [:]
    /// The bodies of removed answers that are still being read. Bounded by the readers.
    var orphans: Set<Int64> = []

    /// The number of unwritten confirmations at which they are written: 1,000.
    static let updateCountMax = 1_000

    init() {}

    /// - Complexity: O(log n).
    init(_ counters: [String: Int64], _ connection: OpaquePointer) throws {
        // A counter that is damaged must not give a number again whose row or chunks are there.
        lastNumber = max(
            try CounterTable.count(HTTPMemory.numberCounter, in: counters),
            try PreparedStatement.number(connection, "SELECT max(number) FROM http_answers") ?? 0,
            (try PreparedStatement.number(connection, "SELECT max(place) FROM http_chunks") ?? 0)
                / HTTPTable.chunkCountMax)
        guard lastNumber < StoredNumber.max / HTTPTable.chunkCountMax else {
            throw SQLiteFailure.damaged("the last number of an HTTP answer is \(lastNumber)")
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

/// The effects of a transaction on answers that are made outside the file once it is committed.
struct HTTPWriting {
    var removedCount = 0
    /// The groups of URLs whose answers changed; nil: all of them.
    var places: Set<Int>? = []
    var uses: [Int64: HTTPLedger.Use] = [:]

    mutating func changed(_ place: Int) { places?.insert(place) }
}
