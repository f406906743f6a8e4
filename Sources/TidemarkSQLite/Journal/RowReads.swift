import Tidemark
import TidemarkModel
import TidemarkStore

/// Reads entities that are rows: the tables `keys` and `entities`.
final class RowReads: EntityReads {
    private let connection: OpaquePointer
    private let reader: EntityReader
    private let ranges: EntityRangeReader
    private let rowAges: RowAgeReader
    private let decoder: PayloadDecoder

    init(_ connection: OpaquePointer, decoder: PayloadDecoder) throws {
        self.connection = connection
        self.decoder = decoder
        reader = try EntityReader(connection)
        ranges = try EntityRangeReader(connection)
        rowAges = try RowAgeReader(connection)
    }

    func read(_ keys: [StoredKey], _ dictionaries: [Int64: PayloadDictionary]) throws -> [EntityReader.Answer] {
        try keys.map { try reader.read($0, decoder, dictionaries) }
    }

    func find(_ keys: [StoredKey]) throws -> [StoredRow] {
        try keys.compactMap { key in try reader.row(of: key).map { StoredRow(key: key, row: $0) } }
    }

    func forEach(
        library: LibraryIndex, type: TypeIndex, after: ByteString?, expectedCount: Int,
        _ dictionaries: [Int64: PayloadDictionary], _ visit: (StoredKey, EntityReader.Answer) throws -> Bool
    ) throws -> Bool {
        try ranges.forEach(library: library, type: type, after: after, expectedCount: expectedCount) {
            try visit($0, EntityReader.answer($1, key: $0, decoder, dictionaries))
        }
    }

    func ages(after key: StoredKey?, countMax: Int) throws -> [StoredRowAge] {
        try rowAges.rows(after: key, countMax: countMax)
    }

    func counts() throws -> [JournalEntityCount] {
        let statement = try PreparedStatement(
            connection, "SELECT library, type, count(*) FROM keys GROUP BY library, type")
        var counts: [JournalEntityCount] = []
        try statement.forEachRow { row in
            guard let library = LibraryIndex(exactly: row.integer(0)), let type = TypeIndex(exactly: row.integer(1))
            else { throw SQLiteError.damaged("a key has a library or a type that does not exist") }
            counts.append(JournalEntityCount(library: library, type: type, count: row.integer(2)))
        }
        return counts
    }
}
