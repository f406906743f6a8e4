/// How a data file stores entities.
///
/// A file begins with rows. From a number of entities on it is converted to blocks, see ``BlockMigration``.
package enum EntityLayout: Sendable, CaseIterable {
    /// A row for each entity: the tables `keys` and `entities`.
    case rows
    /// Blocks of up to 127 entities: the tables of docs/blocks.md.
    case blocks
}

extension EntityLayout {
    /// Reads how a file stores entities, in the connection's snapshot. While entities are being moved into blocks, the
    /// file still counts as one of rows.
    ///
    /// - Throws: ``SQLiteError``.
    init(_ connection: OpaquePointer) throws {
        let isOfRows =
            try DataFile.isOfRows(DataFileSchema.version(connection))
            || PreparedStatement.number(connection, BlockMigration.movedCountQuery) != nil
        self = isOfRows ? .rows : .blocks
    }
}
