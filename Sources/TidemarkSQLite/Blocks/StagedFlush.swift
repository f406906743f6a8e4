import TidemarkStore

/// What a flush has written in its transaction, and the changes of the index to make at the commit.
struct StagedFlush {
    /// A change of the index.
    struct Change {
        var hash: KeyHash
        /// The position of the newest version; nil to remove the key.
        var place: BlockPlace?
        /// The ordinal of the block with the version or the removal; 0 when there is none.
        var ordinal: Int
    }

    /// A written block.
    struct Block {
        var ordinal: Int
        var entry: BlockLedger.Block
        var removalCount: Int
    }

    /// The changes in order; a later change of a key overrides an earlier one.
    var changes: [Change] = []
    var blocks: [Block] = []
    /// The ordinals that were reserved for blocks.
    var reservedOrdinals: [Int] = []
    /// The ordinals of the blocks that the flush took to merge, merged or not.
    var takenOrdinals: [Int] = []
    /// The ordinals of the deleted blocks of cleared libraries.
    var clearedOrdinals: Set<Int> = []
    /// The merged and deleted blocks: their ordinals, and the bytes that count for one entity.
    var merged: [(ordinal: Int, share: Int)] = []
    /// The ordinals of damaged blocks that were copied as far as they can be read, and deleted.
    var healedOrdinals: [Int] = []
    /// The ordinals of blocks that could not be merged because nothing can be read from them. They stay.
    var unreadable: [Int] = []
    /// How many live entities of merged blocks failed their checks and are lost.
    var lostCount = 0
    /// How many entities of merged blocks were processed, live and dead.
    var mergedEntityCount = 0
    /// The segments that were written, as of the last commit.
    var segments: [Int] = []
    /// The number of changes since the last segment was written, including those of this flush.
    var changesBehindSegments = 0
    /// What was unexpected while entities were written.
    var outcome = EntityOutcome()
    /// The highest number that a block ever had.
    var lastNumber: Int64
    /// The hashes of `changes`; nil until they are needed.
    private var changedHashes: Set<KeyHash>?

    init(lastNumber: Int64) { self.lastNumber = lastNumber }

    /// Returns true if the flush itself changes a key.
    mutating func changesKey(_ hash: KeyHash) -> Bool {
        if changedHashes == nil { changedHashes = Set(changes.map(\.hash)) }
        return changedHashes?.contains(hash) ?? false
    }
}
