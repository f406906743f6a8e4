extension BlockStore {
    /// The settings of a store. Tests change them.
    struct Configuration {
        /// The random number of the file, for the hashes of keys.
        var hashSeed: UInt64
        /// How blocks are compressed.
        var compression: DataCompression
        var limits = MergePlanner.Limits()
        /// A store with fewer entities than this writes its segments as if it had so many: 100,000. Segments are then
        /// written so rarely that they cost little, and openings replay little.
        var entityCountMin = 100_000
        /// The most blocks that are chosen to be merged at a time.
        var victimCountMax = 1_024
        /// How many entities of blocks being merged are processed for each change of a flush.
        var mergedCountPerChange = 4

        init(hashSeed: UInt64, compression: DataCompression = .standard) {
            self.hashSeed = hashSeed
            self.compression = compression
        }
    }

    /// The damage that a store has found.
    struct Damage: Hashable {
        /// The number of blocks of which nothing can be read.
        var blockCount = 0
        /// The number of entities that were in the index and in no block.
        var entityCount = 0
        /// The number of segments that were rebuilt from the directories, so that removed entities may have returned.
        var segmentCount = 0
    }
}
