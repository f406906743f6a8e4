import TidemarkModel

/// A journal's record that an entity was evicted from both tiers, or that it no longer counts as evicted.
package struct EvictedRecord: Hashable, Sendable {
    package var library: LibraryIndex
    /// The hash of the key, see ``EntityIdentity/lastingHash``: the same in every process.
    package var hash: UInt64
    /// Whether the entity was stored again, or deleted.
    package var isBack: Bool

    package init(library: LibraryIndex, hash: UInt64, isBack: Bool = false) {
        self.library = library
        self.hash = hash
        self.isBack = isBack
    }
}

/// The changes of a flush to the evicted keys that a journal keeps.
package struct EvictedChanges: Hashable, Sendable {
    /// Whether the journal's records are removed first.
    package var replacesAll = false
    /// The records in the order of the changes.
    package var records: [EvictedRecord] = []

    package init(replacesAll: Bool = false, records: [EvictedRecord] = []) {
        self.replacesAll = replacesAll
        self.records = records
    }

    package var isEmpty: Bool { !replacesAll && records.isEmpty }
}
