/// Decides which blocks are merged, and when: a value without a disk, time or thread.
///
/// A block that is merged has its live entities copied to a new block and is deleted, in one transaction. The planner
/// knows of each block only its bytes and those of them that are live.
///
/// ```
/// written ── committed ──▶ settled ── victims ──▶ merging ── gone
/// ```
///
/// Nothing uses it yet; it belongs to docs/decisions/0020-past-memory.md.
struct MergePlanner {
    /// The shares of dead bytes, in hundredths of all bytes of blocks.
    struct Limits {
        /// The share of dead bytes above which blocks are merged.
        var deadShare = 35
        /// The share of dead bytes above which a flush waits for blocks that are being read.
        var deadShareMax = 45
        /// The bytes of a full block; a block that holds less is merged as if the rest were dead.
        var fullByteCount = 9_191
    }

    private enum Phase {
        /// Written by the transaction under way: no reader has it yet.
        case written
        case settled
        /// Being read, to be merged by a later transaction.
        case merging
    }

    private struct Block {
        var byteCount: Int
        var liveByteCount: Int
        var phase: Phase
    }

    private let limits: Limits
    private var blocks: [Int: Block] = [:]
    /// The ordinals that the transaction under way wrote.
    private var writtenOrdinals: [Int] = []
    /// The bytes of all blocks.
    private(set) var byteCount = 0
    private(set) var liveByteCount = 0
    /// The blocks that are being read or wait for their transaction.
    private(set) var mergingCount = 0

    init(_ limits: Limits = Limits()) {
        // No input reaches it: the limits are constants of the program.
        precondition(
            limits.deadShare < limits.deadShareMax && limits.deadShareMax < 100,
            "\(limits.deadShare) and \(limits.deadShareMax) hundredths")
        self.limits = limits
    }

    var blockCount: Int { blocks.count }
    var deadByteCount: Int { byteCount - liveByteCount }

    /// The dead bytes above which blocks are merged, and that are not being merged yet: the merge debt.
    var debtByteCount: Int { max(0, deadByteCount - byteCount * limits.deadShare / 100) }

    /// Whether a flush waits for a block that is being read, because too much is dead.
    var mustWait: Bool { mergingCount > 0 && deadByteCount * 100 > byteCount * limits.deadShareMax }

    // MARK: Events

    /// Notes a block of the transaction under way, all of it live.
    mutating func wrote(_ ordinal: Int, byteCount: Int) {
        // No input reaches it: the writer gives an ordinal only when its block is gone.
        precondition(blocks[ordinal] == nil, "block \(ordinal) is there already")
        blocks[ordinal] = Block(byteCount: byteCount, liveByteCount: byteCount, phase: .written)
        writtenOrdinals.append(ordinal)
        self.byteCount += byteCount
        liveByteCount += byteCount
    }

    /// Notes that an entity of a block was replaced, removed or copied.
    ///
    /// - Parameter byteCount: Its share of the block's bytes.
    mutating func died(in ordinal: Int, byteCount: Int) {
        // No input reaches it: the index names a place once, and a block that is gone has none.
        guard var block = blocks[ordinal], block.liveByteCount >= byteCount else {
            preconditionFailure("\(byteCount) bytes of block \(ordinal) cannot die: \(blocks[ordinal] as Any)")
        }
        block.liveByteCount -= byteCount
        blocks[ordinal] = block
        liveByteCount -= byteCount
    }

    /// Notes that the transaction under way was committed: its blocks may be merged from now on.
    mutating func committed() {
        for ordinal in writtenOrdinals { blocks[ordinal]?.phase = .settled }
        writtenOrdinals = []
    }

    /// Notes that a merged block was deleted; nothing of it is live.
    mutating func gone(_ ordinal: Int) {
        // No input reaches it: only chosen blocks are merged, and all that is live in one is copied first.
        guard let block = blocks.removeValue(forKey: ordinal), block.phase == .merging, block.liveByteCount == 0 else {
            preconditionFailure("block \(ordinal) was not merged, or is not dead")
        }
        byteCount -= block.byteCount
        mergingCount -= 1
    }

    /// Notes that a block that was chosen stays: its transaction failed, or it could not be read.
    mutating func kept(_ ordinal: Int) {
        // No input reaches it: only chosen blocks are read.
        guard blocks[ordinal]?.phase == .merging else { preconditionFailure("block \(ordinal) is not being merged") }
        blocks[ordinal]?.phase = .settled
        mergingCount -= 1
    }

    // MARK: The decision

    /// Chooses the blocks to merge next: those with the least live bytes for a full block, until the debt is paid.
    ///
    /// - Parameter countMax: The most blocks.
    /// - Returns: Ordinals in ascending order, which is about that of the file; empty when there is no debt, or nothing
    ///   that is dead can be merged.
    /// - Complexity: O(blocks log blocks); called once for some hundred blocks.
    mutating func victims(countMax: Int) -> [Int] {
        guard debtByteCount > 0 else { return [] }
        var candidates: [(ordinal: Int, share: Int)] = []
        for (ordinal, block) in blocks where block.phase == .settled && isWorthMerging(block) {
            candidates.append((ordinal, liveShare(of: block)))
        }
        candidates.sort { ($0.share, $0.ordinal) < ($1.share, $1.ordinal) }
        var chosen: [Int] = []
        // The dead bytes of blocks that are being merged already are as good as gone.
        var debt =
            debtByteCount
            - blocks.values.reduce(0) {
                $0 + ($1.phase == .merging ? $1.byteCount - $1.liveByteCount : 0)
            }
        for candidate in candidates {
            guard chosen.count < countMax, debt > 0, var block = blocks[candidate.ordinal] else { break }
            block.phase = .merging
            blocks[candidate.ordinal] = block
            mergingCount += 1
            debt -= block.byteCount - block.liveByteCount
            chosen.append(candidate.ordinal)
        }
        return chosen.sorted()
    }

    /// Whether merging a block gains anything: something is dead.
    private func isWorthMerging(_ block: Block) -> Bool { block.liveByteCount < block.byteCount }

    /// The live bytes in thousandths of a full block, so that a block that a small flush left short comes early.
    private func liveShare(of block: Block) -> Int {
        block.liveByteCount * 1_000 / max(limits.fullByteCount, block.byteCount)
    }

    /// Checks the sums against the blocks.
    ///
    /// No input reaches it: only tests call it.
    func checkInvariants() {
        precondition(byteCount == blocks.values.reduce(0) { $0 + $1.byteCount }, "\(byteCount) bytes by the counter")
        precondition(
            liveByteCount == blocks.values.reduce(0) { $0 + $1.liveByteCount }, "\(liveByteCount) live bytes")
        precondition(mergingCount == blocks.values.count { $0.phase == .merging }, "\(mergingCount) being merged")
        precondition(
            Set(writtenOrdinals) == Set(blocks.filter { $0.value.phase == .written }.keys), "other blocks were written")
    }
}
