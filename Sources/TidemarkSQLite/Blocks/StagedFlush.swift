import TidemarkStore

/// The part of a flush that its transaction has, and the changes of the index when the transaction is committed.
struct StagedFlush {
    /// A change of the index.
    struct Change {
        var hash: KeyHash
        /// The place of the newest version; nil: the key is removed.
        var place: BlockPlace?
        /// The ordinal of the block that has the version or the removal; 0 when nothing has.
        var ordinal: Int
    }

    /// A block that is written.
    struct Block {
        var ordinal: Int
        var entry: BlockLedger.Block
        var removalCount: Int
    }

    /// The changes in the order of the versions: a later change of a key counts.
    var changes: [Change] = []
    var blocks: [Block] = []
    /// The ordinals that were taken for blocks.
    var reservedOrdinals: [Int] = []
    /// The victims that the flush took, merged or not.
    var takenOrdinals: [Int] = []
    /// The ordinals of the blocks of cleared libraries, which are deleted.
    var clearedOrdinals: Set<Int> = []
    /// Blocks that were merged and deleted: their ordinals, and the bytes that count for one entity.
    var merged: [(ordinal: Int, share: Int)] = []
    /// The ordinals of damaged blocks that were copied as far as they can be read, and deleted.
    var healedOrdinals: [Int] = []
    /// The ordinals of victims from which nothing can be read: they stay.
    var unreadable: [Int] = []
    /// Live entities of merged blocks that failed their checks: they are lost.
    var lostCount = 0
    /// The entities of victims, copied and dead.
    var mergedEntityCount = 0
    /// The segments that were written, as of the last commit.
    var segments: [Int] = []
    /// The changes since the last segment was written, those of the flush included.
    var changesBehindSegments = 0
    /// The entities whose write was unexpected.
    var outcome = EntityOutcome()
    /// The highest number that a block ever had.
    var lastNumber: Int64
    /// The hashes of `changes`, as soon as a victim needs them.
    private var changedHashes: Set<KeyHash>?

    init(lastNumber: Int64) { self.lastNumber = lastNumber }

    /// Whether the flush itself changes a key.
    mutating func changesKey(_ hash: KeyHash) -> Bool {
        if changedHashes == nil { changedHashes = Set(changes.map(\.hash)) }
        return changedHashes?.contains(hash) ?? false
    }
}
