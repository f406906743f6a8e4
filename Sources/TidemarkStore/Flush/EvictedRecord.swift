import TidemarkModel

/// That an entity left both tiers, or that it is no longer gone, as journals keep it.
package struct EvictedRecord: Hashable, Sendable {
    package var library: LibraryIndex
    /// Of the key, see ``EntityIdentity/lastingHash``: the same in every process.
    package var hash: UInt64
    /// It came back, or was deleted.
    package var isBack: Bool

    package init(library: LibraryIndex, hash: UInt64, isBack: Bool = false) {
        self.library = library
        self.hash = hash
        self.isBack = isBack
    }
}

/// What a flush adds to the evicted keys that a journal keeps.
package struct EvictedChanges: Hashable, Sendable {
    /// What the journal has of them goes first.
    package var replacesAll = false
    /// In the order it happened.
    package var records: [EvictedRecord] = []

    package init(replacesAll: Bool = false, records: [EvictedRecord] = []) {
        self.replacesAll = replacesAll
        self.records = records
    }

    package var isEmpty: Bool { !replacesAll && records.isEmpty }
}
