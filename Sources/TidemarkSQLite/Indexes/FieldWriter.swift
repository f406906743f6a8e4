import TidemarkModel
import TidemarkStore

/// The id of an entity whose values are indexed, borrowed.
struct FieldOwner {
    /// The entity's row; 0 in a file of blocks.
    var row: Int64
    var library: LibraryIndex
    var isUUID: Bool
    /// The 16 bytes of a UUID, or the id's text.
    var id: UnsafeRawBufferPointer
}

/// Writes the values of indexed fields, whatever the form in which the file holds entities.
protocol FieldWriter {
    /// Writes the values of one entity; a value that did not change writes no page.
    ///
    /// - Parameters:
    ///   - payload: One validated object without insignificant white space.
    ///   - isNew: Whether the entity is new, so that it probably has no values yet.
    /// - Throws: ``SQLiteFailure``.
    func write(
        _ owner: FieldOwner, payload: UnsafeRawBufferPointer, _ completeness: Completeness,
        of indexes: [FieldIndexRecord], isNew: Bool) throws

    /// Removes the values of all entities of a library.
    func remove(number: Int64, library: LibraryIndex) throws

    /// - Returns: The number of removed values; 0 when none were left.
    func removeSlice(number: Int64, countMax: Int) throws -> Int

    /// Returns the number of values of an index.
    func count(number: Int64) throws -> Int64
}

extension FieldOwner {
    /// - Parameter bytes: The ``TidemarkStore/FlushBatch/bytes`` of the row's flush.
    init(_ row: FlushRow, in bytes: UnsafeRawBufferPointer) {
        self.init(row: row.row, library: row.library, isUUID: row.isUUID, id: row.id(in: bytes))
    }
}
