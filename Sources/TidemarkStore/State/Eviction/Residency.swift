import TidemarkModel

/// The entities that are in no tier any more, and the number of those that the journal alone has.
///
/// A key that was forgotten counts as absent although the journal has its row still; an evicted key counts as one that
/// existed. Bounded by the rows that a flush removes, and by `evictedKeyCountMax`.
struct Residency: ~Copyable {
    /// The number of entities that only the journal holds.
    private(set) var absentCount: Int64
    /// Keys that were forgotten while the journal still has their rows, until it has removed them.
    private var forgotten = ForgottenKeys()
    /// The keys of entities that were evicted from both tiers.
    private var evicted: EvictedKeys
    /// The libraries that the next flush removes from the journal; each once.
    private var clearedLibraries: [LibraryIndex] = []

    init(recovered: RecoveredState, limits: Limits) {
        absentCount = recovered.libraries.reduce(0) { $0 + $1.entityCount }
        evicted = EvictedKeys(
            countMax: limits.evictedKeyCountMax, recovered: recovered.evicted,
            libraryCount: recovered.libraries.count)
    }

    /// The libraries whose evicted keys did not all fit when the journal's log was read.
    var forgottenOnRecovery: Set<LibraryIndex> { evicted.forgottenOnRecovery }

    // MARK: Entities that only the journal has

    /// Whether memory lacks entities that the journal has.
    var hasAbsent: Bool { absentCount > 0 }

    /// Notes that entities left memory, and that the journal has them.
    mutating func noteEvictedFromMemory(_ count: Int = 1) { absentCount += Int64(count) }

    /// Notes that an entity came into memory, or that its row turned out to be damaged.
    mutating func noteLoaded() { absentCount -= 1 }

    // MARK: Forgotten keys

    /// Whether a key was forgotten, though the journal may have its row.
    func isForgotten(_ key: StoredKey) -> Bool { forgotten.contains(key) }

    /// Forgets an entity that was in memory.
    mutating func forget(_ key: StoredKey) { forgotten.insert(key) }

    /// Forgets an entity that only the journal has.
    mutating func forgetAbsent(_ key: StoredKey) {
        absentCount -= 1
        forgotten.insert(key)
    }

    /// Forgets all entities of a library.
    ///
    /// - Parameter absentCount: The number of those that only the journal has.
    mutating func clear(_ library: LibraryIndex, absentCount: Int64) {
        self.absentCount -= absentCount
        forgotten.insert(library)
        evicted.removeAll(of: library)
        if !clearedLibraries.contains(library) { clearedLibraries.append(library) }
    }

    // MARK: Evicted keys

    var hasEvicted: Bool { !evicted.isEmpty }

    func wasEvicted(_ identity: EntityIdentity) -> Bool { evicted.contains(identity) }

    /// Remembers that an entity was evicted from both tiers.
    ///
    /// - Returns: The library of the key that was forgotten at the bound; nil when none was.
    mutating func noteEvicted(_ identity: EntityIdentity) -> LibraryIndex? { evicted.insert(identity) }

    /// Notes that an entity is stored again, or that the server deleted it.
    @inline(__always)
    mutating func noteKnown(_ identity: EntityIdentity) {
        if !evicted.isEmpty { evicted.remove(identity) }
    }

    // MARK: The journal

    /// The number of records that a flush would hold.
    var changeCount: Int { evicted.changeCount }

    /// Whether a flush would hold anything of this.
    var isUnwritten: Bool { evicted.isChanged || !clearedLibraries.isEmpty }

    /// Moves what the journal does not have into a flush.
    mutating func drain(into flush: inout FlushBatch) {
        forgotten.flush()
        flush.clearedLibraries = clearedLibraries
        clearedLibraries = []
        flush.evicted = evicted.drainChanges()
    }

    /// Notes that the journal committed the flush that was taken last.
    mutating func flushCommitted() { forgotten.commit() }

    /// Notes that the journal lost its data: what memory did not hold is gone.
    ///
    /// - Returns: Whether entities were lost.
    mutating func journalLost() -> Bool {
        clearedLibraries = []
        forgotten.removeAll()
        evicted.markAllChanged()
        defer { absentCount = 0 }
        return absentCount > 0
    }
}
