import TidemarkModel
import TidemarkStore

/// Identifies an entity whose values are indexed. The id is borrowed.
struct FieldOwner {
    /// The entity's row; 0 in a file of blocks.
    var row: Int64
    var library: LibraryIndex
    var isUUID: Bool
    /// The 16 bytes of a UUID, or the id's text.
    var id: UnsafeRawBufferPointer
}

/// Writes the values of indexed fields, in a file of rows or of blocks.
protocol FieldWriter {
    /// Writes the values of one entity. A value that did not change writes no page.
    ///
    /// - Parameters:
    ///   - payload: One validated JSON object without insignificant white space.
    ///   - isNew: True if the entity is new, so that it probably has no values yet.
    /// - Throws: ``SQLiteError``.
    func write(
        _ owner: FieldOwner, payload: UnsafeRawBufferPointer, _ completeness: Completeness,
        of indexes: [FieldIndexRecord], isNew: Bool) throws

    /// Removes an index's values of all entities of a library.
    func remove(number: Int64, library: LibraryIndex) throws

    /// Removes some values of an index.
    ///
    /// - Returns: The number of removed values; 0 when none were left.
    func removeSlice(number: Int64, countMax: Int) throws -> Int

    /// Returns the number of values of an index.
    func count(number: Int64) throws -> Int64
}

extension FieldOwner {
    /// Creates the identification of a row's entity.
    ///
    /// - Parameter bytes: The ``/TidemarkStore/FlushBatch/bytes`` of the row's flush.
    init(_ row: FlushRow, in bytes: UnsafeRawBufferPointer) {
        self.init(row: row.row, library: row.library, isUUID: row.isUUID, id: row.id(in: bytes))
    }
}
