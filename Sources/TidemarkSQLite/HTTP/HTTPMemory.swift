import TidemarkModel

/// The totals that the journal knows of the stored HTTP answers without reading them.
struct HTTPMemory {
    /// The highest number that an answer ever had in this opening, or has on the disk.
    var lastNumber: Int64 = 0
    /// The bytes of all answers, heads included.
    var byteCount: Int64 = 0
    var count: Int64 = 0
    /// The number of answers that end with the process.
    var sessionCount: Int64 = 0
    var salt: Int64?
    /// The uses that are not written yet, by answer. Bounded by ``useCountMax``.
    var uses: [Int64: (at: Int64, count: Int64)] = [:]

    /// The number of answers with unwritten uses at which they are written: 1,000.
    static let useCountMax = 1_000

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
        salt = counters[HTTPMemory.saltCounter]
    }

    func write(_ counters: CounterTable) throws {
        try counters.write(HTTPMemory.numberCounter, lastNumber)
        try counters.write(HTTPMemory.bytesCounter, byteCount)
        try counters.write(HTTPMemory.countCounter, count)
        try counters.write(HTTPMemory.sessionCounter, sessionCount)
    }

    static let numberCounter = "http_number"
    static let bytesCounter = "http_bytes"
    static let countCounter = "http_answers"
    static let sessionCounter = "http_session_answers"
    static let saltCounter = "http_salt"
}
