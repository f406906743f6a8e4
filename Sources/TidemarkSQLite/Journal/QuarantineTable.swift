import TidemarkModel

/// The table `quarantine`: the newest records, numbered in the order of arrival.
struct QuarantineTable {
    private let put: PreparedStatement
    private let removeOne: PreparedStatement
    private let removeOldest: PreparedStatement

    init(_ connection: OpaquePointer) throws {
        put = try PreparedStatement(
            connection,
            """
            INSERT INTO quarantine
            (number, kind, reason, line, "offset", library, sequence, received_at, byte_count, bytes)
            VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
            """)
        removeOne = try PreparedStatement(connection, "DELETE FROM quarantine WHERE number = ?")
        removeOldest = try PreparedStatement(
            connection,
            "DELETE FROM quarantine WHERE number IN (SELECT number FROM quarantine ORDER BY number LIMIT ?)")
    }

    func write(_ record: QuarantineRecord, number: Int64) throws {
        put.bind(1, number)
        put.bind(2, Int64(record.kind.rawValue))
        put.bind(3, text: ByteString(record.reason.code))
        put.bind(4, record.line)
        put.bind(5, record.offset)
        put.bind(6, text: record.library)
        put.bind(7, record.sequence?.rawValue)
        put.bind(8, record.receivedAt)
        put.bind(9, Int64(record.byteCount))
        put.bind(10, blob: record.bytes)
        try put.run()
    }

    /// Removes a record.
    ///
    /// - Returns: True if there was such a record.
    func remove(number: Int64) throws -> Bool {
        removeOne.bind(1, number)
        try removeOne.run()
        return removeOne.changedRowCount > 0
    }

    func removeOldest(count: Int) throws {
        removeOldest.bind(1, Int64(count))
        try removeOldest.run()
    }

    /// The columns that ``record(_:)`` reads.
    static let columns = #"number, kind, reason, line, "offset", library, sequence, received_at, byte_count, bytes"#

    /// Reads a row; nil when it has values that no version of Tidemark writes.
    static func record(_ row: PreparedStatement) -> QuarantineRecord? {
        guard let kindNumber = UInt8(exactly: row.integer(1)), let kind = QuarantineRecord.Kind(rawValue: kindNumber),
            let reason = QuarantineReason(code: row.text(2).description), let byteCount = Int(exactly: row.integer(8))
        else { return nil }
        return QuarantineRecord(
            number: row.integer(0), kind: kind, reason: reason, line: row.integer(3), offset: row.integer(4),
            library: row.optionalText(5), sequence: row.optionalInteger(6).map { EventSequence($0) },
            receivedAt: row.integer(7), bytes: Array(row.borrowedBytes(9)), byteCount: byteCount)
    }
}
