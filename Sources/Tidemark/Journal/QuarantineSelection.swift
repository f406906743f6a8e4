import TidemarkModel
import TidemarkStore

/// A selection of records of the quarantine; a part that is nil matches all.
public struct QuarantineSelection: Hashable, Sendable {
    /// The number after which the records begin.
    public var after: Int64 = 0
    public var reason: QuarantineReason?
    public var library: ByteString?
    /// The numbers of the wanted records, in ascending order; nil: all.
    public var numbers: [Int64]?
    /// The number of records at most.
    public var countMax: Int

    public init(countMax: Int) { self.countMax = countMax }

    /// Tells whether a record belongs to the selection, its place aside.
    public func holds(_ record: QuarantineRecord) -> Bool {
        guard let number = record.number, number > after, reason ?? record.reason == record.reason else { return false }
        return (library == nil || record.library == library) && numbers?.contains(number) ?? true
    }
}

/// The number of stored entities of one library and type.
public struct JournalEntityCount: Hashable, Sendable {
    public var library: LibraryIndex
    public var type: TypeIndex
    public var count: Int64

    public init(library: LibraryIndex, type: TypeIndex, count: Int64) {
        self.library = library
        self.type = type
        self.count = count
    }
}
