import TidemarkModel

/// The tombstones of deleted entities. `tombstoneCountMax` and `tombstoneAgeMax` bound them: the oldest are evicted.
package struct TombstoneStore: ~Copyable {
    private let place = StablePlace()
    private let countMax: Int
    private let ageMax: Int64
    /// The tombstones by key, each with the number of its delete, which tells a key's last entry in `order` from
    /// earlier ones.
    private var tombstones: [StoredKey: (tombstone: Tombstone, number: UInt64)] = [:]
    /// The deletes in order. There are never more obsolete entries than valid ones plus `slackCount`.
    private var order: [(key: StoredKey, number: UInt64)] = []
    private var orderStart = 0
    private var nextNumber: UInt64 = 0
    /// The changes since the last flush; the flush policy bounds them.
    private var changes: [FlushTombstone] = []

    /// Creates the store with the tombstones that a journal returned, oldest first.
    package init(limits: Limits, recovered: [(key: StoredKey, tombstone: Tombstone)] = []) {
        countMax = limits.tombstoneCountMax
        ageMax = limits.tombstoneAgeMax
        for (key, tombstone) in recovered { place(tombstone, for: key) }
    }

    /// How many tombstones there are.
    package var count: Int { tombstones.count }
    /// True if there are no tombstones.
    package var isEmpty: Bool { tombstones.isEmpty }
    /// How many changes the next flush includes.
    package var changeCount: Int { changes.count }

    /// The tombstone of a key; nil if it has none.
    package subscript(key: StoredKey) -> Tombstone? { tombstones[key]?.tombstone }

    /// Adds a tombstone, and evicts the oldest ones past the bounds.
    ///
    /// - Returns: The keys of the evicted tombstones; usually none.
    /// - Complexity: O(1) amortized.
    @discardableResult
    package mutating func insert(_ tombstone: Tombstone, for key: StoredKey) -> [StoredKey] {
        place(tombstone, for: key)
        changes.append(FlushTombstone(key: key, tombstone: tombstone))
        var forgotten: [StoredKey] = []
        while let oldest = takeOver() ?? takeOldest(at: tombstone.deletedAt) {
            remove(oldest)
            forgotten.append(oldest)
        }
        if order.count > 2 * tombstones.count + TombstoneStore.slackCount {
            order = order[orderStart...].filter { tombstones[$0.key]?.number == $0.number }
            orderStart = 0
        }
        return forgotten
    }

    /// Removes a key's tombstone, because its entity was stored again. No effect without one.
    package mutating func remove(_ key: StoredKey) {
        guard tombstones.removeValue(forKey: key) != nil else { return }
        changes.append(FlushTombstone(key: key, tombstone: nil))
    }

    /// Returns the keys of libraries' tombstones, oldest first.
    ///
    /// - Complexity: O(n log n) of the tombstones.
    func keys(of libraries: Set<LibraryIndex>) -> [StoredKey] {
        tombstones.filter { libraries.contains($0.key.library) }.sorted { $0.value.number < $1.value.number }.map(\.key)
    }

    /// Removes the tombstones of libraries without recording it, because the journal clears these libraries itself.
    package mutating func removeAll(of libraries: Set<LibraryIndex>) {
        tombstones = tombstones.filter { !libraries.contains($0.key.library) }
        changes.removeAll { libraries.contains($0.key.library) }
        order = order[orderStart...].filter { tombstones[$0.key]?.number == $0.number }
        orderStart = 0
    }

    /// Lowers the sequences of a generation's deletes that are above a sequence to that sequence.
    ///
    /// - Complexity: O(tombstones).
    package mutating func lower(_ library: LibraryIndex, generation: UInt32, to sequence: EventSequence) {
        for (key, entry) in tombstones where key.library == library {
            guard entry.tombstone.generation == generation, let own = entry.tombstone.sequence, own > sequence else {
                continue
            }
            let lowered = Tombstone(sequence: sequence, generation: generation, deletedAt: entry.tombstone.deletedAt)
            tombstones[key] = (lowered, entry.number)
            changes.append(FlushTombstone(key: key, tombstone: lowered))
        }
    }

    /// Removes and returns the changes since the last flush.
    package mutating func takeChanges() -> [FlushTombstone] {
        let taken = changes
        changes = []
        return taken
    }

    /// Marks every tombstone as changed, because the journal lost its data.
    package mutating func markAllChanged() {
        changes = order[orderStart...].compactMap { entry in
            guard let current = tombstones[entry.key], current.number == entry.number else { return nil }
            return FlushTombstone(key: entry.key, tombstone: current.tombstone)
        }
    }

    private static let slackCount = 64

    private mutating func place(_ tombstone: Tombstone, for key: StoredKey) {
        tombstones[key] = (tombstone, nextNumber)
        order.append((key, nextNumber))
        nextNumber += 1
    }

    /// Returns the oldest key if there are too many tombstones; nil otherwise.
    private mutating func takeOver() -> StoredKey? {
        guard tombstones.count > countMax else { return nil }
        skipOver()
        guard orderStart < order.count else { return nil }
        return order[orderStart].key
    }

    /// Returns the oldest key if its tombstone is older than the limit; nil otherwise.
    private mutating func takeOldest(at now: Int64) -> StoredKey? {
        skipOver()
        guard orderStart < order.count, let oldest = tombstones[order[orderStart].key],
            now.subtractingClamped(oldest.tombstone.deletedAt) > ageMax
        else { return nil }
        return order[orderStart].key
    }

    /// Skips deletes whose key was stored or deleted again.
    private mutating func skipOver() {
        while orderStart < order.count, tombstones[order[orderStart].key]?.number != order[orderStart].number {
            orderStart += 1
        }
    }
}
