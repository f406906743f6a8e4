import TidemarkModel
import TidemarkStore

extension PayloadSeal {
    /// Creates the seal of a row to be written.
    init(_ row: FlushRow) {
        self.init(
            library: row.library, type: row.type, isUUID: row.isUUID, sequence: row.sequence?.rawValue,
            generation: row.generation, writtenAt: row.writtenAt)
    }

    /// Creates the seal of a stored row; nil when its stamps have values that are never written.
    init?(
        library: LibraryIndex, type: TypeIndex, isUUID: Bool, stampsOf record: EntityRecord
    ) {
        guard let generation = UInt32(exactly: record.generation), StoredNumber.isSequence(record.sequence),
            StoredNumber.isMoment(record.writtenAt)
        else { return nil }
        self.init(
            library: library, type: type, isUUID: isUUID, sequence: record.sequence, generation: generation,
            writtenAt: record.writtenAt)
    }
}
