import TidemarkModel
import TidemarkStore

/// The table `types`: the names of resource types by number.
struct TypeTable {
    private let put: PreparedStatement

    init(_ connection: OpaquePointer) throws {
        put = try PreparedStatement(connection, "INSERT INTO types (type, name, checksum) VALUES (?, ?, ?)")
    }

    func write(_ index: TypeIndex, _ name: ByteString) throws {
        put.bind(1, Int64(index))
        put.bind(2, text: name)
        put.bind(3, TypeTable.checksum(index, name))
        try put.run()
    }

    /// Reads all names, in index order.
    ///
    /// - Throws: ``SQLiteError`` `SQLITE_CORRUPT` when a name fails its check or an index is missing.
    static func read(_ connection: OpaquePointer) throws -> [ByteString] {
        var names: [ByteString] = []
        let statement = try PreparedStatement(connection, "SELECT type, name, checksum FROM types ORDER BY type")
        try statement.forEachRow { row in
            guard row.integer(0) == Int64(names.count), let index = TypeIndex(exactly: row.integer(0)),
                checksum(index, row.text(1)) == row.integer(2)
            else { throw SQLiteError.damaged("type \(names.count) is missing or fails its check") }
            names.append(row.text(1))
        }
        return names
    }

    static func checksum(_ index: TypeIndex, _ name: ByteString) -> Int64 {
        var sum = RecordChecksum()
        sum.add(Int64(index))
        sum.add(name)
        return sum.value
    }
}
