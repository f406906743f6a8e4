extension BlockStore {
    struct Configuration {
        /// The random number of the file, for the hashes of keys.
        var hashSeed: UInt64
        var limits = MergePlanner.Limits()
        /// A store with fewer entities writes its segments as if it had so many: 100,000. Then they are written so
        /// rarely that they cost little, and what is replayed at the opening is little.
        var entityCountMin = 100_000
        /// The most blocks that are chosen to be merged together.
        var victimCountMax = 1_024
        /// The entities of victims for each change of a flush.
        var mergedCountPerChange = 4

        init(hashSeed: UInt64) { self.hashSeed = hashSeed }
    }

    /// Damage that the store met.
    struct Damage: Hashable {
        /// Blocks of which nothing can be read.
        var blockCount = 0
        /// Entities that the index knew and no block has.
        var entityCount = 0
        /// Segments that were built again from the directories: what was removed before may be there again.
        var segmentCount = 0
    }
}
