import TidemarkModel

/// Making room in memory. What leaves it is with the journal, and is read again when it is needed.
extension CacheState {
    /// Drops entities that the journal has from memory until those there take at most `byteCountMax`. What no journal has leaves both
    /// tiers.
    ///
    /// - Parameter seenCountMax: Entities to look at, at most: bounds how long it takes.
    package mutating func evict(
        toByteCount byteCountMax: Int, seenCountMax: Int = .max, at now: Int64
    ) -> EvictionSlice {
        if !typeRules.unstored.isEmpty {
            return evictUnstored(toByteCount: byteCountMax, seenCountMax: seenCountMax, at: now)
        }
        let slice = entities.evict(
            toByteCount: byteCountMax, seenCountMax: seenCountMax, keptTypes: typeRules.kept
        ) { key in queries.keepsInMemory(key) }
        absentCount += Int64(slice.evictedCount)
        entities.compact(seenCountMax: slice.evictedCount * 4)
        return slice
    }

    /// As ``evict(toByteCount:seenCountMax:at:)``, where some types are in memory alone.
    private mutating func evictUnstored(toByteCount byteCountMax: Int, seenCountMax: Int, at now: Int64)
        -> EvictionSlice
    {
        var slice = EvictionSlice()
        let countMax = min(seenCountMax, entities.count)
        beginUnit(isMulti: true)
        while slice.seenCount < countMax, entities.entityByteCount > byteCountMax {
            let index = entities.leastRecent
            slice.seenCount += 1
            if mustStay(index) {
                entities.touch(index)
            } else if isUnstored(entities.type(of: index)) {
                if leave(index, at: now) { slice.evictedCount += 1 }
            } else {
                entities.forget(index)
                absentCount += 1
                slice.evictedCount += 1
            }
        }
        endUnit(at: now)
        entities.compact(seenCountMax: slice.evictedCount * 4)
        return slice
    }

    /// What the entities in memory take.
    package var memoryByteCount: Int { entities.entityByteCount }

    /// Entities in memory.
    package var residentCount: Int { entities.count }

    /// Law L9.
    private mutating func mustStay(_ index: UInt32) -> Bool {
        entities.mustStay(index, typeRules.kept) { key in queries.keepsInMemory(key) }
    }

    /// Entities in memory of types that do not stay there, by their slots.
    package var passing: [UInt32] { Array(entities.passing) }

    /// Drops entities of types that do not stay in memory, unless they must: those go when that is over.
    ///
    /// - Parameter slots: As ``passing`` gave them; may have been used anew since.
    /// - Returns: How many went.
    package mutating func dropPassing(_ slots: some Sequence<UInt32>) -> Int {
        let residentCount = entities.count
        for index in slots where entities.passing.contains(index) && !mustStay(index) {
            entities.forget(index)
            absentCount += 1
        }
        return residentCount - entities.count
    }
}

/// Making room in both tiers. What leaves both is evicted: no tombstone, and nothing is said about the server.
///
/// Lists that hold it lose it or miss, as after a removal; observed ones do not hold any, as what they hold is pinned.
extension CacheState {
    /// Whether an entity left both tiers, as far as that is remembered.
    package func wasEvicted(_ key: EntityKey) -> Bool {
        guard !evicted.isEmpty, let stored = storedKey(of: key) else { return false }
        return withIdentity(stored) { evicted.contains($0) }
    }

    /// Whether something of an entity may have been known that nobody knows any more: what is merged into it would be a part.
    func mayBeGone(_ identity: EntityIdentity) -> Bool {
        evicted.contains(identity)
            || isUnstored(identity.type) && libraries[Int(identity.library)].isRecovered
    }

    /// Those rows whose entity is not in memory and may go, the least recently written first; which of them are only reduced, apart.
    package func evictable(_ rows: [StoredRowAge], countMax: Int) -> (whole: [StoredRow], reducible: [StoredKey]) {
        let old = rows.filter { row in
            let key = row.stored.key
            // A damaged key may name a library or a type that is not there; it stays for a repair.
            guard Int(key.library) < libraries.count, Int(key.type) < typeNames.names.count else { return false }
            return !typeRules.kept.contains(key.type) && !(row.isReduced && typeRules.keptFields[key.type] != nil)
                && !isKnown(key) && !isPinned(key)
        }
        .sorted { ($0.writtenAt, $0.stored.row) < ($1.writtenAt, $1.stored.row) }
        .prefix(countMax)
        return (
            old.filter { typeRules.keptFields[$0.stored.key.type] == nil }.map(\.stored),
            old.filter { typeRules.keptFields[$0.stored.key.type] != nil }.map(\.stored.key)
        )
    }

    /// Evicts entities that only the journal has.
    ///
    /// - Parameter rows: As ``evictable(_:countMax:)`` gave them, of rows that were read since the last commit. One that came into
    ///   memory since, or into the reserve of an observed list, stays.
    /// - Returns: How many went.
    package mutating func evictEverywhere(_ rows: some Sequence<StoredRow>, at now: Int64) -> Int {
        var count = 0
        beginUnit(isMulti: true)
        for row in rows where !isKnown(row.key) && !isPinned(row.key) && absentCount > 0 {
            takeOut(row, at: now)
            noteEvicted(row.key)
            count += 1
        }
        endUnit(at: now)
        return count
    }

    /// Whether an entity is observed, though it may have to be loaded first (law L9).
    func isPinned(_ key: StoredKey) -> Bool {
        queries.keys.handle(of: key).map { queries.keys.isPinned($0) } ?? false
    }

    /// Takes a row that no entity in memory stands for out of the journal; lists lose it or miss.
    private mutating func takeOut(_ row: StoredRow, at now: Int64) {
        entities.removeRow(row)
        absentCount -= 1
        libraries[Int(row.key.library)].entityCount -= 1
        libraries[Int(row.key.library)].isChanged = true
        forgotten.insert(row.key)
        isUnwritten = true
        if let handle = queries.keys.handle(of: row.key) { followRemoval(handle, at: now) }
    }

    /// Takes what the journal has of types that it should not have any more out of it.
    ///
    /// - Precondition: Nothing of them is in memory.
    package mutating func takeOut(_ rows: [StoredRow], at now: Int64) {
        beginUnit(isMulti: true)
        for row in rows where absentCount > 0 {
            takeOut(row, at: now)
            noteForgotten(in: row.key.library)
        }
        endUnit(at: now)
    }

    /// Reduces entities to the fields that stay.
    ///
    /// - Parameter keys: As ``evictable(_:countMax:)`` gave them; those that are not in memory are passed over.
    /// - Returns: How many were.
    package mutating func reduce(_ keys: some Sequence<StoredKey>, at now: Int64) -> Int {
        var count = 0
        beginUnit(isMulti: true)
        for key in keys {
            guard let index = withIdentity(key, { entities.find($0) }), !mustStay(index),
                typeRules.keptFields[key.type] != nil, leave(index, at: now)
            else { continue }
            count += 1
        }
        endUnit(at: now)
        return count
    }

    /// Evicts the least recently used entities in memory. What must stay is passed over as in
    /// ``evict(toByteCount:seenCountMax:at:)``, but that an entity which the journal does not have yet may go: nobody needs it there.
    ///
    /// - Parameter isForDisk: What the journal never has, or does not have yet, stays: the room is wanted there.
    package mutating func evictResident(
        countMax: Int, seenCountMax: Int, isForDisk: Bool, at now: Int64
    ) -> EvictionSlice {
        var slice = EvictionSlice()
        let seenCountMax = min(seenCountMax, entities.count)
        beginUnit(isMulti: true)
        while slice.evictedCount < countMax, slice.seenCount < seenCountMax {
            let index = entities.leastRecent
            slice.seenCount += 1
            let stays =
                isForDisk
                ? mustStay(index) || isUnstored(entities.type(of: index))
                : entities.isWanted(index, typeRules.kept) { key in queries.keepsInMemory(key) }
            if stays {
                entities.touch(index)
            } else if leave(index, at: now) {
                slice.evictedCount += 1
            }
        }
        endUnit(at: now)
        return slice
    }

    /// Takes an entity in memory out of both tiers, or of one with fields that stay the others.
    ///
    /// - Returns: false when only fields that stay are left, so that it stays as it is.
    mutating func leave(_ index: UInt32, at now: Int64) -> Bool {
        if let fields = typeRules.keptFields[entities.type(of: index)] {
            // Where it is in the order of use it would be looked at again and again.
            entities.touch(index)
            guard entities.completeness(of: index) != .reduced else { return false }
            leavings?.reduced.append(entities.key(of: index))
            let handle = queries.isEmpty ? nil : queries.keys.handle(of: entities.key(of: index))
            entities.reduce(index, to: fields)
            isUnwritten = isUnwritten || !isUnstored(entities.type(of: index))
            if let handle { followReduction(handle, at: now) }
            return true
        }
        let key = entities.key(of: index)
        forgotten.insert(key)
        isUnwritten = true
        noteEvicted(key)
        if let handle = drop(index) { followRemoval(handle, at: now) }
        return true
    }

    private mutating func noteEvicted(_ key: StoredKey) {
        leavings?.evicted.append(key)
        if let library = key.withIdentity(seed: entities.seed, { evicted.insert($0) }) { noteForgotten(in: library) }
    }
}

/// Types that are in one tier only.
extension CacheState {
    /// Whether no journal has entities of a type.
    @inline(__always)
    func isUnstored(_ type: TypeIndex) -> Bool { !typeRules.unstored.isEmpty && typeRules.unstored.contains(type) }

    /// Types that the journal should have nothing of, with the libraries there are: each may have rows of an earlier time.
    package var unstoredPlaces: [(library: LibraryIndex, type: TypeIndex)] {
        typeRules.unstored.sorted().flatMap { type in libraries.indices.map { (LibraryIndex($0), type) } }
    }

    /// Entities that the journal has, or will have.
    package var storedCount: Int64 { libraries.reduce(0) { $0 + $1.entityCount - $1.unstoredCount } }
}
