import Tidemark
import TidemarkModel
import TidemarkStore

/// The tables `http_answers` and `http_chunks`: one head for each answer, and its body in chunks, each under a checksum.
///
/// - Source: docs/data-file.md, HTTP answers.
struct HTTPTable {
    /// A head as its row holds it.
    struct Row {
        var record: HTTPRecord
        var chunkCount: Int64
    }

    private let put: PreparedStatement
    private let get: PreparedStatement
    private let ofURL: PreparedStatement
    private let remove: PreparedStatement
    private let removeChunks: PreparedStatement
    private let putChunk: PreparedStatement
    private let chunks: PreparedStatement
    private let use: PreparedStatement
    private let oldest: PreparedStatement
    private let pages: PreparedStatement
    private let compressor: BlockCompressor

    /// The unpacked size of a chunk: 1 MiB.
    static let chunkByteCount = 1 << 20
    /// The number of chunks of a body that fit its place: 1,024, which is 1 GiB.
    static let chunkCountMax: Int64 = 1_024

    private static let columns = """
        number, library, url, "key", is_session, head, body_size, chunk_count, stored_size, answered_at, used_at, hits, \
        checksum
        """

    init(_ connection: OpaquePointer) throws {
        func prepare(_ sql: String) throws -> PreparedStatement { try PreparedStatement(connection, sql) }
        put = try prepare(
            "INSERT OR REPLACE INTO http_answers (\(HTTPTable.columns)) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)")
        get = try prepare("SELECT \(HTTPTable.columns) FROM http_answers WHERE number = ?")
        ofURL = try prepare(
            "SELECT \(HTTPTable.columns) FROM http_answers WHERE library = ? AND url = ? ORDER BY number DESC")
        remove = try prepare("DELETE FROM http_answers WHERE number = ?")
        removeChunks = try prepare("DELETE FROM http_chunks WHERE place >= ? AND place < ?")
        putChunk = try prepare(
            "INSERT OR REPLACE INTO http_chunks (place, size, bytes, checksum) VALUES (?, ?, ?, ?)")
        chunks = try prepare(
            "SELECT place, size, bytes, checksum FROM http_chunks WHERE place >= ? AND place < ? ORDER BY place")
        use = try prepare("UPDATE http_answers SET used_at = ?, hits = hits + ? WHERE number = ?")
        oldest = try prepare("SELECT number, stored_size, is_session FROM http_answers ORDER BY used_at, number")
        pages = try prepare(
            """
            SELECT \(HTTPTable.columns) FROM http_answers
            WHERE (library, url, number) > (?, ?, ?) ORDER BY library, url, number
            """)
        compressor = try BlockCompressor()
    }

    // MARK: Writing

    /// Writes the chunks of a body.
    ///
    /// - Returns: The number of chunks and the bytes that they take.
    func writeBody(_ body: [UInt8], of number: Int64) throws -> (count: Int64, byteCount: Int64) {
        var place: Int64 = 0
        var byteCount: Int64 = 0
        for start in stride(from: 0, to: body.count, by: HTTPTable.chunkByteCount) {
            let chunk = Array(body[start..<min(start + HTTPTable.chunkByteCount, body.count)])
            var bytes: [UInt8] = []
            compressor.append(chunk, to: &bytes)
            putChunk.bind(1, number * HTTPTable.chunkCountMax + place)
            putChunk.bind(2, Int64(chunk.count))
            putChunk.bind(4, HTTPTable.checksum(bytes, place: number * HTTPTable.chunkCountMax + place))
            try bytes.withUnsafeBytes { bytes in
                putChunk.bindBorrowed(3, blob: bytes)
                try putChunk.run()
            }
            place += 1
            byteCount += Int64(bytes.count)
        }
        return (place, byteCount)
    }

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

    func remove(number: Int64) throws {
        remove.bind(1, number)
        try remove.run()
        removeChunks.bind(1, number * HTTPTable.chunkCountMax)
        removeChunks.bind(2, (number + 1) * HTTPTable.chunkCountMax)
        try removeChunks.run()
    }

    func use(_ number: Int64, at instant: Int64, count: Int64) throws {
        use.bind(1, instant)
        use.bind(2, count)
        use.bind(3, number)
        try use.run()
    }

    /// Visits answers from the least recently used on, until `visit` returns false.
    func forEachOldest(_ visit: (_ number: Int64, _ byteCount: Int64, _ isSession: Bool) -> Bool) throws {
        defer { oldest.reset() }
        while try oldest.step() {
            guard visit(oldest.integer(0), oldest.integer(1), oldest.integer(2) != 0) else { return }
        }
    }

    // MARK: Reading

    /// - Returns: nil when there is no such answer, or its head fails its check.
    func row(_ number: Int64) throws -> Row? {
        get.bind(1, number)
        defer { get.reset() }
        return try get.step() ? HTTPTable.row(get) : nil
    }

    /// - Returns: The heads of a URL that pass their check.
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
            // Rows are in the order of library and URL: behind what is wanted nothing wanted comes.
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

    /// Reads a body.
    ///
    /// - Returns: nil when a chunk is missing or fails its check.
    func body(_ row: Row) throws -> [UInt8]? {
        let first = row.record.number * HTTPTable.chunkCountMax
        chunks.bind(1, first)
        chunks.bind(2, first + HTTPTable.chunkCountMax)
        var body: [UInt8] = []
        var next = first
        var isGood = true
        try chunks.forEachRow { chunk in
            let bytes = chunk.borrowedBytes(2)
            let size = chunk.integer(1)
            guard isGood, chunk.integer(0) == next, 0...Int64(HTTPTable.chunkByteCount) ~= size,
                HTTPTable.checksum(bytes, place: next) == chunk.integer(3)
            else {
                isGood = false
                return
            }
            var offset = 0
            do throws(PayloadFault) {
                let content = try BlockCompressor.content(bytes, at: &offset, count: Int(size))
                if body.isEmpty { body = content } else { body += content }
            } catch {
                isGood = false
            }
            next += 1
        }
        guard isGood, next - first == row.chunkCount, Int64(body.count) == row.record.byteCount else { return nil }
        return body
    }

    /// Returns the numbers of the answers whose head or body fails its check.
    ///
    /// - Complexity: O(bytes of all answers); one body is in memory at a time.
    func damaged() throws -> [Int64] {
        var numbers: [Int64] = []
        var good: [Row] = []
        pages.bind(1, text: "")
        pages.bind(2, text: "")
        pages.bind(3, Int64(-1))
        try pages.forEachRow { row in
            if let read = HTTPTable.row(row) { good.append(read) } else { numbers.append(row.integer(0)) }
        }
        for row in good where try body(row) == nil { numbers.append(row.record.number) }
        return numbers.sorted()
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

    /// Covers everything of a head that decides what is served; not the uses, which change without it.
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

    private static func checksum(_ bytes: [UInt8], place: Int64) -> Int64 {
        bytes.withUnsafeBytes { checksum($0, place: place) }
    }

    private static func checksum(_ bytes: UnsafeRawBufferPointer, place: Int64) -> Int64 {
        Int64(bitPattern: Checksum.xxh64(bytes, seed: UInt64(bitPattern: place)))
    }
}

extension HTTPSelection {
    func includes(_ record: HTTPRecord) -> Bool {
        (library.map { $0 == record.library } ?? true) && (url.map { $0 == record.url } ?? true)
            && (key.map { $0 == record.key } ?? true)
            && (prefix.map { record.url.bytes.starts(with: $0.bytes) } ?? true)
            && (isSession.map { $0 == record.isSession } ?? true)
    }
}
