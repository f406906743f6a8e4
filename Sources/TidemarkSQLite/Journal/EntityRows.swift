import Tidemark
import TidemarkModel
import TidemarkStore

/// The entities of a data file as rows: the tables `keys` and `entities`.
final class EntityRows: EntityTables {
    private let connection: OpaquePointer
    private let writer: EntityWriter
    private let clearing: LibraryClearing
    private let reader: EntityReader
    private let ranges: EntityRangeReader
    private let rowAges: RowAgeReader
    private let decoder: PayloadDecoder

    let canIndexFields = true

    init(_ connection: OpaquePointer, encoder: PayloadEncoder, decoder: PayloadDecoder) throws {
        self.connection = connection
        self.decoder = decoder
        writer = try EntityWriter(connection, encoder: encoder)
        clearing = try LibraryClearing(connection)
        reader = try EntityReader(connection)
        ranges = try EntityRangeReader(connection)
        rowAges = try RowAgeReader(connection)
    }

    func lastRow() throws -> Int64 {
        try StoredNumber.count(
            max(0, try PreparedStatement.number(connection, #"SELECT max("row") FROM entities"#) ?? 0), "the last row")
    }

    func write(_ flush: FlushBatch, _ memory: JournalMemory) throws -> EntityOutcome {
        for library in flush.clearedLibraries { try clearing.clear(library, indexes: memory.indexes) }
        return try writer.write(flush, dictionaries: memory.dictionaryByType, indexes: memory.indexesByType)
    }

    func publish(_ commit: () throws -> Void) throws { try commit() }

    func discard() {}

    func read(_ keys: [StoredKey], _ memory: JournalMemory) throws -> [EntityReader.Answer] {
        try keys.map { try reader.read($0, decoder, memory.dictionaries) }
    }

    func find(_ keys: [StoredKey]) throws -> [StoredRow] {
        try keys.compactMap { key in try reader.row(of: key).map { StoredRow(key: key, row: $0) } }
    }

    func forEach(
        library: LibraryIndex, type: TypeIndex, after: ByteString?, expectedCount: Int, _ memory: JournalMemory,
        _ visit: (StoredKey, EntityReader.Answer) throws -> Bool
    ) throws {
        _ = try ranges.forEach(library: library, type: type, after: after, expectedCount: expectedCount) {
            try visit($0, EntityReader.answer($1, key: $0, decoder, memory.dictionaries))
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
            else { throw SQLiteFailure.damaged("a key has a library or a type that does not exist") }
            counts.append(JournalEntityCount(library: library, type: type, count: row.integer(2)))
        }
        return counts
    }
}
