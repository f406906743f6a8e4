import TidemarkModel
import TidemarkStore

extension PayloadSeal {
    /// The seal of a row as it is to be written.
    init(_ row: FlushRow) {
        self.init(
            library: row.library, type: row.type, isUUID: row.isUUID, sequence: row.sequence?.rawValue,
            generation: row.generation, writtenAt: row.writtenAt)
    }

    /// - Returns: nil when the stamps are none that were ever written.
    init?(
        library: LibraryIndex, type: TypeIndex, isUUID: Bool, stampsOf statement: PreparedStatement, from column: Int32
    ) {
        guard let generation = UInt32(exactly: statement.integer(column + 1)),
            StoredNumber.isSequence(statement.optionalInteger(column)),
            StoredNumber.isMoment(statement.integer(column + 2))
        else { return nil }
        self.init(
            library: library, type: type, isUUID: isUUID, sequence: statement.optionalInteger(column),
            generation: generation, writtenAt: statement.integer(column + 2))
    }
}
