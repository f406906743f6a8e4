import Tidemark
import TidemarkModel
import TidemarkStore

/// The table `indexes`: the indexed fields, and the state of each index.
struct FieldIndexTable {
    private let put: PreparedStatement
    private let remove: PreparedStatement

    init(_ connection: OpaquePointer) throws {
        put = try PreparedStatement(
            connection,
            """
            INSERT OR REPLACE INTO indexes (number, type, path, state, built_library, built_id, checksum)
            VALUES (?, ?, ?, ?, ?, ?, ?)
            """)
        remove = try PreparedStatement(connection, "DELETE FROM indexes WHERE number = ?")
    }

    func write(_ record: FieldIndexRecord) throws {
        put.bind(1, record.number)
        put.bind(2, text: record.type)
        put.bind(3, text: record.path.text)
        put.bind(4, record.state.rawValue)
        put.bind(5, record.built.map { Int64($0.library) })
        switch record.built?.id {
        case .uuid(let value): put.bind(6, blob: value.bytes)
        case .text(let text): put.bind(6, text: text)
        case nil: put.bind(6, text: nil)
        }
        put.bind(7, FieldIndexTable.checksum(record))
        try put.run()
    }

    func remove(number: Int64) throws {
        remove.bind(1, number)
        try remove.run()
    }

    /// Reads all records.
    ///
    /// - Returns: The records in ascending order of their numbers, and the numbers of the records that fail their
    ///   check.
    static func read(_ connection: OpaquePointer) throws -> (records: [FieldIndexRecord], damaged: [Int64]) {
        var records: [FieldIndexRecord] = []
        var damaged: [Int64] = []
        let statement = try PreparedStatement(
            connection,
            "SELECT number, type, path, state, built_library, built_id, checksum FROM indexes ORDER BY number")
        try statement.forEachRow { row in
            if let record = checked(row) {
                records.append(record)
            } else {
                damaged.append(row.integer(0))
            }
        }
        return (records, damaged)
    }

    /// Reads a record; nil when it fails its check.
    ///
    /// - Parameter row: A row with all columns of the table, in order.
    static func checked(_ row: PreparedStatement) -> FieldIndexRecord? {
        record(row).flatMap { checksum($0) == row.integer(6) ? $0 : nil }
    }

    private static func record(_ row: PreparedStatement) -> FieldIndexRecord? {
        guard let state = FieldIndexRecord.State(rawValue: row.integer(3)),
            0..<Int64(FieldIndex.countMax) ~= row.integer(0)
        else { return nil }
        let path: FieldPath
        do throws(MembershipError) {
            path = try FieldPath(row.text(2))
        } catch {
            return nil
        }
        var record = FieldIndexRecord(number: row.integer(0), type: row.text(1), path: path, state: state)
        if let library = row.optionalInteger(4) {
            guard let library = LibraryIndex(exactly: library), let id = row.storedID(5) else { return nil }
            record.built = (library, id)
        }
        return record
    }

    static func checksum(_ record: FieldIndexRecord) -> Int64 {
        var sum = RecordChecksum()
        sum.add(record.number)
        sum.add(record.type)
        sum.add(record.path.text)
        sum.add(record.state.rawValue)
        sum.add(record.built.map { Int64($0.library) })
        sum.add(record.built?.id.text)
        return sum.value
    }
}
