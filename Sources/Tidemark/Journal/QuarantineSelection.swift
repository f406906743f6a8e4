import TidemarkModel
import TidemarkStore

/// A selection of records of the quarantine; a part that is nil matches all.
package struct QuarantineSelection: Hashable, Sendable {
    /// Only records with a higher number.
    package var after: Int64 = 0
    package var reason: QuarantineReason?
    package var library: ByteString?
    /// Only these records, in ascending order.
    package var numbers: [Int64]?
    /// The number of records at most.
    package var countMax: Int

    package init(countMax: Int) { self.countMax = countMax }

    /// Tells whether a record belongs to the selection, its place aside.
    package func holds(_ record: QuarantineRecord) -> Bool {
        guard let number = record.number, number > after, reason ?? record.reason == record.reason else { return false }
        return (library == nil || record.library == library) && numbers?.contains(number) ?? true
    }
}

/// The number of stored entities of one library and type.
package struct JournalEntityCount: Hashable, Sendable {
    package var library: LibraryIndex
    package var type: TypeIndex
    package var count: Int64

    package init(library: LibraryIndex, type: TypeIndex, count: Int64) {
        self.library = library
        self.type = type
        self.count = count
    }
}
