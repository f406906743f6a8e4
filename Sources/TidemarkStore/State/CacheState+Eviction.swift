import TidemarkModel

/// Making room in memory. What leaves it is with the journal, and is read again when it is needed.
extension CacheState {
    /// Drops entities that the journal has from memory until those there take at most `byteCountMax`.
    ///
    /// - Parameter seenCountMax: Entities to look at, at most: bounds how long it takes.
    package mutating func evict(toByteCount byteCountMax: Int, seenCountMax: Int = .max) -> EvictionSlice {
        let slice = entities.evict(toByteCount: byteCountMax, seenCountMax: seenCountMax, keptTypes: keptTypes) { key in
            queries.keys.handle(of: key).map { queries.keys.isPinned($0) } ?? false
        }
        absentCount += Int64(slice.evictedCount)
        return slice
    }

    /// What the entities in memory take.
    package var memoryByteCount: Int { entities.entityByteCount }

    /// Entities in memory.
    package var residentCount: Int { entities.count }
}

/// Making room in both tiers. What leaves both is evicted: no tombstone, and nothing is said about the server.
///
/// Lists that hold it lose it or miss, as after a removal; observed ones do not hold any, as what they hold is pinned.
extension CacheState {
    /// Types that never go, by number.
    private var keptTypes: Set<TypeIndex> {
        Set(
            configuration.keptTypes.compactMap {
                typeNames.existingIndex(of: configuration.typeAliases[$0] ?? $0)
            })
    }

    /// Whether an entity left both tiers, as far as that is remembered.
    package func wasEvicted(_ key: EntityKey) -> Bool {
        guard !evicted.isEmpty, let stored = storedKey(of: key) else { return false }
        return withIdentity(stored) { evicted.contains($0) }
    }

    /// Those rows whose entity is not in memory and may go, the least recently written first.
    package func evictable(_ rows: [StoredRowAge]) -> [StoredRow] {
        let keptTypes = keptTypes
        return rows.filter { !keptTypes.contains($0.stored.key.type) && !isKnown($0.stored.key) }
            .sorted { ($0.writtenAt, $0.stored.row) < ($1.writtenAt, $1.stored.row) }
            .map(\.stored)
    }

    /// Evicts entities that only the journal has.
    ///
    /// - Parameter rows: As ``evictable(_:)`` gave them, of rows that were read since the last commit. One that came into memory
    ///   since stays.
    /// - Returns: How many went.
    package mutating func evictEverywhere(_ rows: some Sequence<StoredRow>, at now: Int64) -> Int {
        var count = 0
        beginUnit(isMulti: true)
        for row in rows where !isKnown(row.key) && absentCount > 0 {
            entities.removeRow(row)
            absentCount -= 1
            libraries[Int(row.key.library)].entityCount -= 1
            libraries[Int(row.key.library)].isChanged = true
            noteEvicted(row.key)
            if let handle = queries.keys.handle(of: row.key) { followRemoval(handle, at: now) }
            count += 1
        }
        endUnit(at: now)
        return count
    }

    /// Evicts the least recently used entities in memory. What must stay is passed over as in
    /// ``evict(toByteCount:seenCountMax:)``.
    package mutating func evictResident(countMax: Int, seenCountMax: Int, at now: Int64) -> EvictionSlice {
        var slice = EvictionSlice()
        let keptTypes = keptTypes
        let seenCountMax = min(seenCountMax, entities.count)
        beginUnit(isMulti: true)
        while slice.evictedCount < countMax, slice.seenCount < seenCountMax {
            let index = entities.leastRecent
            slice.seenCount += 1
            let mustStay = entities.mustStay(index, keptTypes) { key in
                queries.keys.handle(of: key).map { queries.keys.isPinned($0) } ?? false
            }
            if mustStay {
                entities.touch(index)
                continue
            }
            noteEvicted(entities.key(of: index))
            if let handle = drop(index) { followRemoval(handle, at: now) }
            slice.evictedCount += 1
        }
        endUnit(at: now)
        return slice
    }

    private mutating func noteEvicted(_ key: StoredKey) {
        forgotten.insert(key)
        key.withIdentity(seed: entities.seed) { evicted.insert($0) }
        isUnwritten = true
    }
}
