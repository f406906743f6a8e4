import TidemarkModel
import TidemarkStore

/// Which records of the quarantine to return; a part that is nil matches all.
public struct QuarantineSelection: Hashable, Sendable {
    /// The number after which the records begin. Default: 0, from the oldest record on.
    public var after: Int64 = 0
    /// The reason that records must have; nil for any.
    public var reason: QuarantineReason?
    /// The library that records must have; nil for any.
    public var library: ByteString?
    /// The numbers of the wanted records, in ascending order; nil for any.
    public var numbers: [Int64]?
    /// The largest number of records.
    public var countMax: Int

    /// Makes a selection that matches every record, up to a number of them.
    public init(countMax: Int) { self.countMax = countMax }

    /// Returns true if a record matches the selection; ``countMax`` is not considered.
    public func holds(_ record: QuarantineRecord) -> Bool {
        guard let number = record.number, number > after, reason ?? record.reason == record.reason else { return false }
        return (library == nil || record.library == library) && numbers?.contains(number) ?? true
    }
}

/// The number of stored entities of one library and type.
public struct JournalEntityCount: Hashable, Sendable {
    /// The number of the library in the journal.
    public var library: LibraryIndex
    /// The number of the type in the journal.
    public var type: TypeIndex
    /// The number of entities.
    public var count: Int64

    /// Makes a count.
    public init(library: LibraryIndex, type: TypeIndex, count: Int64) {
        self.library = library
        self.type = type
        self.count = count
    }
}
