import TidemarkModel

/// Making room in memory. What leaves it is with the journal, and is read again when it is needed.
extension CacheState {
    /// Drops entities that the journal has from memory until those there take at most `byteCountMax`.
    ///
    /// - Parameter seenCountMax: Entities to look at, at most: bounds how long it takes.
    package mutating func evict(toByteCount byteCountMax: Int, seenCountMax: Int = .max) -> EvictionSlice {
        let slice = entities.evict(toByteCount: byteCountMax, seenCountMax: seenCountMax) { key in
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
