/// The form in which a data file holds entities.
///
/// A file begins as one of rows. From a number of entities on it becomes one of blocks, see ``BlockMigration``.
package enum EntityLayout: Sendable, CaseIterable {
    /// A row for each entity: the tables `keys` and `entities`.
    case rows
    /// Blocks of up to 127 entities: the tables of docs/decisions/0020-past-memory.md.
    case blocks
}

extension EntityLayout {
    /// Reads the form of a file in the connection's snapshot. While entities are moved into blocks, the file still is
    /// one of rows.
    ///
    /// - Throws: ``SQLiteFailure``.
    init(_ connection: OpaquePointer) throws {
        let isOfRows =
            try DataFileSchema.version(connection) <= DataFile.rowFormatVersion
            || PreparedStatement.number(connection, BlockMigration.movedCountQuery) != nil
        self = isOfRows ? .rows : .blocks
    }
}
