import Tidemark
import TidemarkModel
import TidemarkStore

/// The entities of a data file as rows: the tables `keys` and `entities`.
final class EntityRows: EntityTables {
    private let connection: OpaquePointer
    private let writer: EntityWriter
    private let clearing: LibraryClearing

    let reads: any EntityReads

    init(
        _ connection: OpaquePointer, compression: DataCompression, encoder: PayloadEncoder, decoder: PayloadDecoder
    ) throws {
        self.connection = connection
        writer = try EntityWriter(connection, compression: compression, encoder: encoder)
        clearing = try LibraryClearing(connection)
        reads = try RowReads(connection, decoder: decoder)
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
}
