import TidemarkModel

/// A journal's record that an entity was evicted from both tiers, or that it no longer counts as evicted.
public struct EvictedRecord: Hashable, Sendable {
    public var library: LibraryIndex
    /// The hash of the key, see ``EntityIdentity/lastingHash``: the same in every process.
    public var hash: UInt64
    /// Whether the entity was stored again, or deleted.
    public var isBack: Bool

    public init(library: LibraryIndex, hash: UInt64, isBack: Bool = false) {
        self.library = library
        self.hash = hash
        self.isBack = isBack
    }
}

/// The changes of a flush to the evicted keys that a journal keeps.
public struct EvictedChanges: Hashable, Sendable {
    /// Whether the journal's records are removed first.
    public var replacesAll = false
    /// The records in the order of the changes.
    public var records: [EvictedRecord] = []

    public init(replacesAll: Bool = false, records: [EvictedRecord] = []) {
        self.replacesAll = replacesAll
        self.records = records
    }

    public var isEmpty: Bool { !replacesAll && records.isEmpty }
}
