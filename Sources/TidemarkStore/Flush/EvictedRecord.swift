import TidemarkModel

/// A journal's record that a key was evicted from both tiers, or no longer counts as evicted.
public struct EvictedRecord: Hashable, Sendable {
    /// The library of the key.
    public var library: LibraryIndex
    /// The hash of the key, equal in every process; see `EntityIdentity.lastingHash`.
    public var hash: UInt64
    /// True if the key no longer counts as evicted, because its entity was stored again or deleted.
    public var isBack: Bool

    /// Creates a record.
    public init(library: LibraryIndex, hash: UInt64, isBack: Bool = false) {
        self.library = library
        self.hash = hash
        self.isBack = isBack
    }
}

/// The changes of one flush to the evicted keys that a journal keeps.
///
/// ```swift
/// func apply(_ changes: EvictedChanges, to log: inout [EvictedRecord]) {
///     if changes.replacesAll { log = [] }
///     log += changes.records
/// }
/// ```
public struct EvictedChanges: Hashable, Sendable {
    /// True if the journal removes all its records first.
    public var replacesAll = false
    /// The new records, in the order of the changes.
    public var records: [EvictedRecord] = []

    /// Creates the changes; without arguments there are none.
    public init(replacesAll: Bool = false, records: [EvictedRecord] = []) {
        self.replacesAll = replacesAll
        self.records = records
    }

    /// True if there is nothing to write.
    public var isEmpty: Bool { !replacesAll && records.isEmpty }
}
