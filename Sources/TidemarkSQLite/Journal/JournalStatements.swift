/// The statements that are prepared once for a connection. They must be freed before the connection closes.
struct JournalStatements {
    let connection: OpaquePointer
    /// The form of entities that the statements are for.
    let layout: EntityLayout
    let encoder: PayloadEncoder
    let decoder: PayloadDecoder
    let entities: any EntityTables
    let libraries: LibraryTable
    let types: TypeTable
    let tombstones: TombstoneTable
    let quarantine: QuarantineTable
    let dictionaries: DictionaryTable
    let counters: CounterTable
    let queries: QueryTable
    let evicted: EvictedTable
    let layers: LayerTable
    let fieldIndexes: FieldIndexTable
    let fieldValues: any FieldWriter
    let fieldGroups: FieldGroupReader
    let http: HTTPTable

    /// Prepares all statements.
    ///
    /// - Parameters:
    ///   - compression: How data is compressed that these statements write.
    ///   - isReadOnly: True if another process writes the file.
    ///   - blocks: The options for entities in blocks.
    /// - Throws: ``SQLiteError``.
    init(
        _ connection: OpaquePointer, compression: DataCompression, isReadOnly: Bool, blocks: EntityBlocks.Options
    ) throws {
        self.connection = connection
        encoder = try PayloadEncoder(compression)
        decoder = try PayloadDecoder()
        layout = try EntityLayout(connection)
        switch layout {
        case .rows:
            entities = try EntityRows(
                connection, compression: compression, encoder: encoder, decoder: decoder)
            fieldValues = try FieldValueWriter(connection)
        case .blocks:
            entities = isReadOnly ? FollowedBlocks(connection) : try EntityBlocks(connection, blocks)
            fieldValues = try FieldCodeWriter(connection)
        }
        libraries = try LibraryTable(connection)
        types = try TypeTable(connection)
        tombstones = try TombstoneTable(connection)
        quarantine = try QuarantineTable(connection)
        dictionaries = try DictionaryTable(connection)
        counters = try CounterTable(connection)
        queries = try QueryTable(connection)
        evicted = try EvictedTable(connection)
        layers = try LayerTable(connection, compression)
        fieldIndexes = try FieldIndexTable(connection)
        fieldGroups = try FieldGroupReader(connection)
        http = try HTTPTable(connection, compression)
    }
}
