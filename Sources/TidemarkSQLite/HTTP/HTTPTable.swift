import Tidemark
import TidemarkHTTPRecords
import TidemarkModel
import TidemarkStore

/// The tables `http_answers` and `http_chunks`: one head for each stored response, and its body in chunks, each with a
/// checksum.
///
/// - Source: docs/data-file.md, HTTP answers.
struct HTTPTable {
    /// A head as its row stores it.
    struct Row {
        var record: HTTPRecord
        var chunkCount: Int64
    }

    let put: PreparedStatement
    let get: PreparedStatement
    let ofURL: PreparedStatement
    let remove: PreparedStatement
    let removeChunkRows: PreparedStatement
    let chunkTotals: PreparedStatement
    let answerTotals: PreparedStatement
    let orphans: PreparedStatement
    let putChunk: PreparedStatement
    let chunks: PreparedStatement
    let use: PreparedStatement
    let oldest: PreparedStatement
    let pages: PreparedStatement
    let compressor: BlockCompressor

    /// The unpacked size of a chunk: 1 MiB.
    static let chunkByteCount = HTTPBodyDraft.chunkByteCount
    /// The most chunks of a body: 1,024, which is 1 GiB.
    static let chunkCountMax: Int64 = 1_024

    private static let columns = """
        number, library, url, "key", is_session, head, body_size, chunk_count, stored_size, answered_at, used_at, hits, \
        checksum
        """

    init(_ connection: OpaquePointer, _ compression: DataCompression = .standard) throws {
        func prepare(_ sql: String) throws -> PreparedStatement { try PreparedStatement(connection, sql) }
        put = try prepare(
            "INSERT OR REPLACE INTO http_answers (\(HTTPTable.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        get = try prepare("SELECT \(HTTPTable.columns) FROM http_answers WHERE number = ?")
        ofURL = try prepare(
            "SELECT \(HTTPTable.columns) FROM http_answers WHERE library = ? AND url = ? ORDER BY number DESC")
        remove = try prepare("DELETE FROM http_answers WHERE number = ?")
        removeChunkRows = try prepare("DELETE FROM http_chunks WHERE place >= ? AND place < ?")
        chunkTotals = try prepare(
            """
            SELECT count(*), total(size), total(length(bytes)), max(place) FROM http_chunks
            WHERE place >= ? AND place < ?
            """)
        answerTotals = try prepare("SELECT count(*), total(stored_size), total(is_session) FROM http_answers")
        orphans = try prepare(
            """
            SELECT DISTINCT place / \(HTTPTable.chunkCountMax) FROM http_chunks
            WHERE place / \(HTTPTable.chunkCountMax) NOT IN (SELECT number FROM http_answers)
            """)
        putChunk = try prepare(
            "INSERT OR REPLACE INTO http_chunks (place, size, bytes, checksum) VALUES (?, ?, ?, ?)")
        chunks = try prepare(
            "SELECT place, size, bytes, checksum FROM http_chunks WHERE place >= ? AND place < ? ORDER BY place")
        use = try prepare("UPDATE http_answers SET used_at = ?, hits = hits + ? WHERE number = ?")
        oldest = try prepare("SELECT number, stored_size FROM http_answers ORDER BY used_at, number")
        pages = try prepare(
            """
            SELECT \(HTTPTable.columns) FROM http_answers
            WHERE (library, url, number) > (?, ?, ?) ORDER BY library, url, number
            """)
        compressor = try BlockCompressor(compression)
    }

    // MARK: Writing

    func write(_ row: Row) throws {
        let record = row.record
        put.bind(1, record.number)
        put.bind(2, text: record.library)
        put.bind(3, text: record.url)
        put.bind(4, text: record.key)
        put.bind(5, record.isSession ? 1 : 0)
        put.bind(6, blob: record.head)
        put.bind(7, record.byteCount)
        put.bind(8, row.chunkCount)
        put.bind(9, record.storedByteCount)
        put.bind(10, record.answeredAt)
        put.bind(11, record.usedAt)
        put.bind(12, record.hitCount)
        put.bind(13, HTTPTable.checksum(row))
        try put.run()
    }

    func removeHead(_ number: Int64) throws {
        remove.bind(1, number)
        try remove.run()
    }

    /// Counts the responses and the bytes that they take, from their rows.
    ///
    /// - Complexity: O(responses).
    func totals() throws -> (count: Int64, byteCount: Int64, sessionCount: Int64) {
        defer { answerTotals.reset() }
        guard try answerTotals.step() else { return (0, 0, 0) }
        return (answerTotals.integer(0), max(0, answerTotals.integer(1)), max(0, answerTotals.integer(2)))
    }

    func use(_ number: Int64, at instant: Int64, count: Int64) throws {
        use.bind(1, instant)
        use.bind(2, count)
        use.bind(3, number)
        try use.run()
    }

    /// Visits responses, the least recently used first, until `visit` returns false.
    func forEachOldest(_ visit: (_ number: Int64, _ byteCount: Int64) -> Bool) throws {
        defer { oldest.reset() }
        while try oldest.step() {
            guard visit(oldest.integer(0), oldest.integer(1)) else { return }
        }
    }

    // MARK: Reading

    /// Reads a head; nil when there is none, or it fails its check.
    func row(_ number: Int64) throws -> Row? {
        get.bind(1, number)
        defer { get.reset() }
        return try get.step() ? HTTPTable.row(get) : nil
    }

    /// Reads the heads of a URL that pass their check, newest first.
    func rows(library: ByteString, url: ByteString) throws -> [Row] {
        ofURL.bind(1, text: library)
        ofURL.bind(2, text: url)
        var rows: [Row] = []
        try ofURL.forEachRow { row in
            if let row = HTTPTable.row(row) { rows.append(row) }
        }
        return rows
    }

    func page(
        _ selection: HTTPSelection, after: HTTPPlace?, countMax: Int
    ) throws -> [Row] {
        pages.bind(1, text: after?.library ?? selection.library ?? "")
        pages.bind(2, text: after?.url ?? selection.url ?? selection.prefix ?? "")
        pages.bind(3, after?.number ?? -1)
        var rows: [Row] = []
        defer { pages.reset() }
        while rows.count < countMax, try pages.step() {
            guard let row = HTTPTable.row(pages) else { continue }
            // Rows are in the order of library and URL, so nothing after the selected ones can match.
            if let library = selection.library, row.record.library != library { break }
            if selection.library != nil, let prefix = selection.prefix,
                !row.record.url.bytes.starts(with: prefix.bytes)
            {
                break
            }
            if selection.library != nil, let url = selection.url, row.record.url != url { break }
            if selection.includes(row.record) { rows.append(row) }
        }
        return rows
    }

    /// Returns the numbers of the responses whose head or body fails its check.
    ///
    /// - Complexity: O(bytes of all responses); one body is in memory at a time.
    func damaged() throws -> [Int64] {
        var numbers: [Int64] = []
        var good: [Row] = []
        pages.bind(1, text: "")
        pages.bind(2, text: "")
        pages.bind(3, Int64(-1))
        try pages.forEachRow { row in
            if let read = HTTPTable.row(row) { good.append(read) } else { numbers.append(row.integer(0)) }
        }
        // If a head records another number of chunks than are stored, some of them belong to no response.
        for row in good {
            bindPlaces(chunkTotals, row.record.number)
            let hasExtra = try chunkTotals.step() && chunkTotals.integer(0) != row.chunkCount
            chunkTotals.reset()
            if try hasExtra || body(row) == nil { numbers.append(row.record.number) }
        }
        return numbers.sorted()
    }

    /// Returns the number of heads that fail their check.
    ///
    /// - Complexity: O(bytes of all heads).
    func damagedHeadCount() throws -> Int {
        pages.bind(1, text: "")
        pages.bind(2, text: "")
        pages.bind(3, Int64(-1))
        var count = 0
        try pages.forEachRow { if HTTPTable.row($0) == nil { count += 1 } }
        return count
    }

    private static func row(_ row: PreparedStatement) -> Row? {
        guard 1...StoredNumber.max / chunkCountMax ~= row.integer(0), 0...StoredNumber.max ~= row.integer(6),
            0...chunkCountMax ~= row.integer(7), 0...StoredNumber.max ~= row.integer(8),
            StoredNumber.isMoment(row.integer(9)), StoredNumber.isMoment(row.integer(10)),
            0...StoredNumber.max ~= row.integer(11), 0...1 ~= row.integer(4)
        else { return nil }
        var record = HTTPRecord(
            library: row.text(1), url: row.text(2), key: row.text(3), isSession: row.integer(4) == 1,
            head: Array(row.borrowedBytes(5)), byteCount: row.integer(6), answeredAt: row.integer(9))
        record.number = row.integer(0)
        record.storedByteCount = row.integer(8)
        record.usedAt = row.integer(10)
        record.hitCount = row.integer(11)
        let read = Row(record: record, chunkCount: row.integer(7))
        return checksum(read) == row.integer(12) ? read : nil
    }

    /// Returns the checksum of a head. It covers everything that decides what is served, and not the uses, which change
    /// without it.
    private static func checksum(_ row: Row) -> Int64 {
        var sum = RecordChecksum()
        sum.add(row.record.number)
        sum.add(row.record.library)
        sum.add(row.record.url)
        sum.add(row.record.key)
        sum.add(row.record.isSession ? 1 : 0)
        sum.add(ByteString(row.record.head))
        sum.add(row.record.byteCount)
        sum.add(row.chunkCount)
        sum.add(row.record.storedByteCount)
        sum.add(row.record.answeredAt)
        return sum.value
    }
}
