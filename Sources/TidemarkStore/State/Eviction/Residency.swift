import TidemarkModel

/// What is not in memory: how many entities only the journal has, and which keys neither tier has any more.
///
/// A forgotten key counts as absent although the journal may still have its row; an evicted key counts as one that
/// existed. The rows that a flush removes, and `evictedKeyCountMax`, bound it.
struct Residency: ~Copyable {
    private let place = StablePlace()
    /// How many entities only the journal has.
    private(set) var absentCount: Int64
    /// Keys that were forgotten while the journal still has their rows, until it has removed these.
    private var forgotten = ForgottenKeys()
    /// The keys of entities that were evicted from both tiers.
    private var evicted: EvictedKeys
    /// The libraries that the next flush removes from the journal, each once.
    private var clearedLibraries: [LibraryIndex] = []

    init(recovered: RecoveredState, limits: Limits) {
        absentCount = recovered.libraries.reduce(0) { $0 + $1.entityCount }
        evicted = EvictedKeys(
            countMax: limits.evictedKeyCountMax, recovered: recovered.evicted,
            libraryCount: recovered.libraries.count)
    }

    /// The libraries that lost evicted keys, because not all fit when the journal's log was read.
    var forgottenOnRecovery: Set<LibraryIndex> { evicted.forgottenOnRecovery }

    // MARK: Entities that only the journal has

    /// True if the journal has entities that memory does not.
    var hasAbsent: Bool { absentCount > 0 }

    /// Records that entities were evicted from memory, while the journal has them.
    mutating func noteEvictedFromMemory(_ count: Int = 1) { absentCount += Int64(count) }

    /// Records that an entity was loaded into memory, or that its row is damaged.
    mutating func noteLoaded() { absentCount -= 1 }

    // MARK: Forgotten keys

    /// Returns true if a key was forgotten, although the journal may have its row.
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
    /// - Parameter absentCount: How many of them only the journal has.
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
    /// - Returns: The library of the key that was forgotten to make room; nil if none was.
    mutating func noteEvicted(_ identity: EntityIdentity) -> LibraryIndex? { evicted.insert(identity) }

    /// Records that an entity is stored again, or that the server deleted it.
    @inline(__always)
    mutating func noteKnown(_ identity: EntityIdentity) {
        if !evicted.isEmpty { evicted.remove(identity) }
    }

    // MARK: The journal

    /// How many records a flush would include.
    var changeCount: Int { evicted.changeCount }

    /// True if a flush would include anything from here.
    var isUnwritten: Bool { evicted.isChanged || !clearedLibraries.isEmpty }

    /// Moves what the journal does not have into a flush.
    mutating func drain(into flush: inout FlushBatch) {
        forgotten.flush()
        flush.clearedLibraries = clearedLibraries
        clearedLibraries = []
        flush.evicted = evicted.drainChanges()
    }

    /// Ends the last flush after the journal committed it.
    mutating func flushCommitted() { forgotten.commit() }

    /// Handles the loss of the journal's data: entities that were not in memory are gone.
    ///
    /// - Returns: True if entities were lost.
    mutating func journalLost() -> Bool {
        clearedLibraries = []
        forgotten.removeAll()
        evicted.markAllChanged()
        defer { absentCount = 0 }
        return absentCount > 0
    }
}
