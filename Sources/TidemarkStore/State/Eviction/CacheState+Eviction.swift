import TidemarkModel

/// Eviction from memory. The journal still has an evicted entity, which is loaded again when needed.
extension CacheState {
    /// Evicts entities from memory until the rest takes at most `byteCountMax`. The journal has them, except for types
    /// that it never stores: their entities are evicted from both tiers.
    ///
    /// - Parameters:
    ///   - seenCountMax: The most entities to examine, which bounds the time of the call.
    ///   - keepsUnstored: Whether entities stay that the journal never stores.
    package mutating func evict(
        toByteCount byteCountMax: Int, seenCountMax: Int = .max, keepsUnstored: Bool = false, at now: Int64
    ) -> EvictionSlice {
        if !types.rules.unstored.isEmpty, !keepsUnstored {
            return evictUnstored(toByteCount: byteCountMax, seenCountMax: seenCountMax, at: now)
        }
        let slice = entities.evict(
            toByteCount: byteCountMax, seenCountMax: seenCountMax,
            keptTypes: types.rules.unstored.isEmpty ? keptInMemory : keptInMemory.union(types.rules.unstored)
        ) { key in queries.keepsInMemory(key) }
        residency.noteEvictedFromMemory(slice.evictedCount)
        entities.compact(seenCountMax: slice.evictedCount * 4)
        return slice
    }

    /// Evicts like ``evict(toByteCount:seenCountMax:at:)``, if entities of some types are in memory only.
    private mutating func evictUnstored(toByteCount byteCountMax: Int, seenCountMax: Int, at now: Int64)
        -> EvictionSlice
    {
        var slice = EvictionSlice()
        let countMax = min(seenCountMax, entities.count)
        beginUnit(isMulti: true)
        while slice.seenCount < countMax, entities.entityByteCount > byteCountMax {
            let index = entities.leastRecent
            slice.seenCount += 1
            if mustStay(index, keptInMemory) {
                entities.touch(index)
            } else if isUnstored(entities.type(of: index)) {
                if evictOrReduce(index, at: now) { slice.evictedCount += 1 }
            } else {
                entities.forget(index)
                residency.noteEvictedFromMemory()
                slice.evictedCount += 1
            }
        }
        endUnit(at: now)
        entities.compact(seenCountMax: slice.evictedCount * 4)
        return slice
    }

    /// Drops the forms of lists that are kept for their next readers.
    package mutating func dropKeptLists() { queries.dropAllKept() }

    /// How many bytes the entities in memory take.
    package var memoryByteCount: Int { entities.entityByteCount }

    /// How many entities are in memory.
    package var residentCount: Int { entities.count }

    /// Returns true if an entity must stay in memory (law L9).
    private mutating func mustStay(_ index: SlotIndex, _ kept: Set<TypeIndex>) -> Bool {
        entities.mustStay(index, kept) { key in queries.keepsInMemory(key) }
    }

    /// The types whose entities are not evicted from memory alone.
    private var keptInMemory: Set<TypeIndex> {
        followedTypes.kept.isEmpty ? types.rules.kept : types.rules.kept.union(followedTypes.kept)
    }

    /// The slots of entities in memory whose types are excluded from it.
    package var memoryExcluded: [SlotIndex] { Array(entities.memoryExcluded) }

    /// Evicts entities whose types are excluded from memory. Those that must stay for now are evicted once that ends.
    ///
    /// - Parameter slots: What ``memoryExcluded`` returned; a slot may have another entity by now.
    /// - Returns: How many entities were evicted.
    package mutating func evictMemoryExcluded(_ slots: some Sequence<SlotIndex>) -> Int {
        let residentCount = entities.count
        for index in slots where entities.memoryExcluded.contains(index) && !mustStay(index, keptInMemory) {
            entities.forget(index)
            residency.noteEvictedFromMemory()
        }
        return residentCount - entities.count
    }
}

/// Eviction from both tiers. It leaves no tombstone and implies nothing about the server.
///
/// A list that has the entity drops it or marks it as missing, as after a removal. This never concerns the elements
/// that observed lists pin.
extension CacheState {
    /// Returns true if an entity was evicted from both tiers, as far as that is remembered.
    package func wasEvicted(_ key: EntityKey) -> Bool {
        guard residency.hasEvicted, let stored = storedKey(of: key) else { return false }
        return withIdentity(stored) { residency.wasEvicted($0) }
    }

    /// Returns true if an entity may have been evicted, so that fields of it are unknown. A patch merged into nothing
    /// would then be only a part of it.
    func mayBeGone(_ identity: EntityIdentity) -> Bool {
        residency.wasEvicted(identity)
            || isUnstored(identity.type) && libraries[identity.library].isRecovered
    }

    /// Returns the rows that may be evicted and whose entity is not in memory, least recently written first. Rows that
    /// can only be reduced are returned separately, as keys.
    ///
    /// - Parameter sparesFollowed: True to leave out followed types.
    package func evictable(
        _ rows: [StoredRowAge], countMax: Int, sparesFollowed: Bool = false
    ) -> (whole: [StoredRow], reducible: [StoredKey]) {
        let old = rows.filter { row in
            let key = row.stored.key
            // A damaged key may name an unknown library or type. It stays for a repair.
            guard libraries.contains(key.library), types.contains(key.type) else { return false }
            if sparesFollowed && followedTypes.contains(key) || followedTypes.isKeptWhole(key.library, key.type) {
                return false
            }
            return !types.rules.kept.contains(key.type) && !(row.isReduced && types.rules.keptFields[key.type] != nil)
                && !isKnown(key) && !isPinned(key)
        }
        .sorted { ($0.writtenAt, $0.stored.row) < ($1.writtenAt, $1.stored.row) }
        .prefix(countMax)
        return (
            old.filter { types.rules.keptFields[$0.stored.key.type] == nil }.map(\.stored),
            old.filter { types.rules.keptFields[$0.stored.key.type] != nil }.map(\.stored.key)
        )
    }

    /// Evicts entities that only the journal has.
    ///
    /// - Parameter rows: What ``evictable(_:countMax:sparesFollowed:)`` returned, for rows that were read since the
    ///   last commit. An entity that was loaded since, or entered the reserve of an observed list, stays.
    /// - Returns: How many entities were evicted.
    package mutating func evictEverywhere(_ rows: some Sequence<StoredRow>, at now: Int64) -> Int {
        var count = 0
        beginUnit(isMulti: true)
        for row in rows where !isKnown(row.key) && !isPinned(row.key) && residency.hasAbsent {
            removeRow(row, at: now)
            noteEvicted(row.key)
            count += 1
        }
        endUnit(at: now)
        return count
    }

    /// Returns true if an entity is observed, although it may have to be loaded first (law L9).
    func isPinned(_ key: StoredKey) -> Bool {
        queries.keys.handle(of: key).map { queries.keys.isPinned($0) } ?? false
    }

    /// Removes a row whose entity is not in memory. Lists drop its element or mark it as missing.
    private mutating func removeRow(_ row: StoredRow, at now: Int64) {
        noteLost(row.key)
        entities.removeRow(row)
        libraries[row.key.library].entityCount -= 1
        libraries[row.key.library].isChanged = true
        residency.forgetAbsent(row.key)
        isUnwritten = true
        if let handle = queries.keys.handle(of: row.key) { followRemoval(handle, at: now) }
    }

    /// Removes rows whose types no longer belong in the journal.
    ///
    /// - Precondition: None of their entities is in memory.
    package mutating func removeRows(_ rows: [StoredRow], at now: Int64) {
        beginUnit(isMulti: true)
        for row in rows where residency.hasAbsent {
            removeRow(row, at: now)
            noteForgotten(in: row.key.library)
        }
        endUnit(at: now)
    }

    /// Reduces entities to the fields that stay.
    ///
    /// - Parameter keys: What ``evictable(_:countMax:sparesFollowed:)`` returned. Keys that are not in memory are
    ///   skipped.
    /// - Returns: How many entities were reduced.
    package mutating func reduce(_ keys: some Sequence<StoredKey>, at now: Int64) -> Int {
        var count = 0
        beginUnit(isMulti: true)
        for key in keys {
            guard let index = withIdentity(key, { entities.find($0) }), !mustStay(index, types.rules.kept),
                !followedTypes.isKeptWhole(key.library, key.type), types.rules.keptFields[key.type] != nil,
                evictOrReduce(index, at: now)
            else { continue }
            count += 1
        }
        endUnit(at: now)
        return count
    }

    /// Evicts the least recently used entities in memory from both tiers. Skips the same entities as
    /// ``evict(toByteCount:seenCountMax:at:)``, except those that the journal does not have yet, which nobody needs
    /// there.
    ///
    /// - Parameters:
    ///   - countMax: The most entities to evict.
    ///   - seenCountMax: The most entities to examine.
    ///   - isForDisk: True to free space in the journal. Entities that the journal never has, or does not have yet,
    ///     then stay, because evicting them frees none.
    ///   - sparesFollowed: True to leave out followed types.
    package mutating func evictResident(
        countMax: Int, seenCountMax: Int, isForDisk: Bool, sparesFollowed: Bool = false, at now: Int64
    ) -> EvictionSlice {
        var slice = EvictionSlice()
        let seenCountMax = min(seenCountMax, entities.count)
        beginUnit(isMulti: true)
        while slice.evictedCount < countMax, slice.seenCount < seenCountMax {
            let index = entities.leastRecent
            slice.seenCount += 1
            let stays =
                isForDisk
                ? mustStay(index, types.rules.kept) || isUnstored(entities.type(of: index))
                : entities.isWanted(index, types.rules.kept) { key in queries.keepsInMemory(key) }
            let (library, type) = (entities.library(of: index), entities.type(of: index))
            let isSpared =
                sparesFollowed && followedTypes.contains(library, type) || followedTypes.isKeptWhole(library, type)
            if stays || isSpared {
                entities.touch(index)
            } else if evictOrReduce(index, at: now) {
                slice.evictedCount += 1
            }
        }
        endUnit(at: now)
        return slice
    }

    /// Evicts an entity from both tiers or, if its type has fields that stay, reduces it to those.
    ///
    /// - Returns: False if only the fields that stay are left, so that nothing changed.
    mutating func evictOrReduce(_ index: SlotIndex, at now: Int64) -> Bool {
        if let fields = types.rules.keptFields[entities.type(of: index)] {
            // At its old place in the LRU order it would be examined again and again.
            entities.touch(index)
            guard entities.completeness(of: index) != .reduced else { return false }
            evictionLog?.reduced.append(entities.key(of: index))
            let handle = queries.isEmpty ? nil : queries.keys.handle(of: entities.key(of: index))
            noteBefore(at: index)
            noteLeft(entities.key(of: index))
            entities.reduce(index, to: fields)
            isUnwritten = isUnwritten || !isUnstored(entities.type(of: index))
            if let handle { followReduction(handle, at: now) }
            return true
        }
        let key = entities.key(of: index)
        residency.forget(key)
        isUnwritten = true
        noteEvicted(key)
        if let handle = drop(index) { followRemoval(handle, at: now) }
        return true
    }

    private mutating func noteEvicted(_ key: StoredKey) {
        evictionLog?.evicted.append(key)
        noteLeft(key)
        if let library = key.withIdentity(seed: entities.seed, { residency.noteEvicted($0) }) {
            noteForgotten(in: library)
        }
    }
}

/// Types that are in one tier only.
extension CacheState {
    /// Returns true if entities of a type are never stored in a journal.
    @inline(__always)
    func isUnstored(_ type: TypeIndex) -> Bool { !types.rules.unstored.isEmpty && types.rules.unstored.contains(type) }

    /// The types that a journal should not have, with every library: each pair may have rows from an earlier time.
    package var unstoredPlaces: [(library: LibraryIndex, type: TypeIndex)] {
        types.rules.unstored.sorted().flatMap { type in libraries.indexes.map { ($0, type) } }
    }

    /// How many entities the journal has, or will have after the next flush.
    package var storedCount: Int64 { libraries.sum { $0.entityCount - $0.unstoredCount } }
}
