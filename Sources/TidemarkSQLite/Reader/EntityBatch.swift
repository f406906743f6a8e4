/// Reads rows of the table `entities` in table order, for a caller that wants them in key order.
///
/// Whatever the ids are, each page is then read once a batch, front to back, instead of once for each row. Bodies are
/// kept in their stored form, about 120 bytes each.
struct EntityBatch {
    /// The most rows that are worth reading in one batch: 131,072.
    static let rowCountMax = 131_072
    /// The most bytes of bodies that are read ahead: 16 MiB. Further rows are read when the caller requests them.
    private static let byteCountMax = 16 << 20

    /// A row of the batch, with its columns once it was read.
    private struct Entry {
        let row: Int64
        var sequence: Int64?
        var generation: Int64 = 0
        var writtenAt: Int64 = 0
        /// The range of the body in `bytes`; nil when there is no such row.
        var body: Range<Int>?
        /// True once the row was read; until then the other properties are unset.
        var isRead = false
    }

    private let find: PreparedStatement
    private var entries: [Entry] = []
    private var bytes: [UInt8] = []

    init(_ connection: OpaquePointer) throws {
        find = try PreparedStatement(
            connection, #"SELECT sequence, generation, written_at, body FROM entities WHERE "row" = ?"#)
    }

    /// Reads a batch of rows, which replaces the earlier one.
    ///
    /// If a row cannot be read, reading ahead ends. The row is read again when the caller requests it, so that the
    /// sound rows before it are returned before its error.
    ///
    /// - Complexity: O(n log n + bytes).
    mutating func read(_ rows: some Sequence<Int64>) {
        bytes.removeAll(keepingCapacity: true)
        entries.removeAll(keepingCapacity: true)
        for row in rows { entries.append(Entry(row: row)) }
        let order = entries.indices.sorted { entries[$0].row < entries[$1].row }
        for index in order where bytes.count < Self.byteCountMax {
            do { try read(index) } catch { return }
        }
    }

    /// Passes a row to `body`, by its index in the batch.
    ///
    /// - Throws: ``SQLiteError``, and the error of `body`.
    func record<Result>(_ index: Int, _ body: (EntityRecord) throws -> Result) throws -> Result {
        let entry = entries[index]
        guard entry.isRead else {
            find.bind(1, entry.row)
            defer { find.reset() }
            guard try find.step() else { return try body(record(entry, body: nil)) }
            return try body(EntityRecord(row: entry.row, find, from: 0))
        }
        return try bytes.withUnsafeBytes { bytes in
            try body(record(entry, body: entry.body.map { UnsafeRawBufferPointer(rebasing: bytes[$0]) }))
        }
    }

    /// Drops the batch and frees its memory.
    mutating func release() {
        entries = []
        bytes = []
    }

    private func record(_ entry: Entry, body: UnsafeRawBufferPointer?) -> EntityRecord {
        EntityRecord(
            row: entry.row, sequence: entry.sequence, generation: entry.generation, writtenAt: entry.writtenAt,
            body: body)
    }

    private mutating func read(_ index: Int) throws {
        var entry = entries[index]
        find.bind(1, entry.row)
        defer { find.reset() }
        if try find.step() {
            let record = EntityRecord(row: entry.row, find, from: 0)
            entry.sequence = record.sequence
            entry.generation = record.generation
            entry.writtenAt = record.writtenAt
            if let body = record.body {
                let start = bytes.count
                bytes.append(contentsOf: body)
                entry.body = start..<bytes.count
            }
        }
        entry.isRead = true
        entries[index] = entry
    }
}
