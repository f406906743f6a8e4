/// Decides which blocks are merged, and when: a value without a disk, time or thread.
///
/// A block that is merged has its live entities copied to a new block and is deleted, in one transaction. The planner
/// knows of each block only its bytes and those of them that are live.
///
/// ```
/// written ── committed ──▶ settled ── victims ──▶ merging ── gone
/// ```
///
/// - Source: docs/decisions/0020-past-memory.md.
struct MergePlanner {
    /// The shares of dead bytes, in hundredths of all bytes of blocks.
    struct Limits {
        /// The share of dead bytes above which blocks are merged. Measured with 35 in place of 28: a tenth fewer bytes
        /// written an update, and a file of 0.52 of the payloads in place of 0.48.
        var deadShare = 28
        /// The share of dead bytes above which a flush waits for blocks that are being read.
        var deadShareMax = 38
        /// The share of its own bytes from which a block is merged while nothing else is to do.
        var deadShareAtRest = 33
        /// The short blocks that are merged together while nothing else is to do.
        var shortCountAtRest = 64
        /// The bytes of a full block; a block that holds less is merged as if the rest were dead.
        var fullByteCount = BlockCodec.fullByteCount
    }

    private enum Phase: UInt8 {
        /// No block has the ordinal.
        case none
        /// Written by the transaction under way: no reader has it yet.
        case written
        case settled
        /// Being read, to be merged by a later transaction.
        case merging
        /// Damaged so that it cannot be merged: it stays until the file is repaired.
        case unmergeable
    }

    /// Twelve bytes.
    private struct Block {
        var byteCount: UInt32 = 0
        var liveByteCount: UInt32 = 0
        var phase = Phase.none

        var deadByteCount: Int { Int(byteCount) - Int(liveByteCount) }
    }

    private let limits: Limits
    /// The blocks by ordinal, from 1 on; a place without a block stays.
    private var blocks: [Block] = []
    private(set) var blockCount = 0
    /// The ordinals that the transaction under way wrote.
    private var writtenOrdinals: [Int] = []
    /// The bytes of all blocks.
    private(set) var byteCount = 0
    private(set) var liveByteCount = 0
    /// The blocks that are being read or wait for their transaction.
    private(set) var mergingCount = 0
    /// The dead bytes of these blocks, which are as good as gone.
    private var mergingDeadByteCount = 0
    /// The short blocks that were left when such blocks were merged last: one for each type at least.
    private var shortCountLeft = 0
    /// Whether the last choice at rest took all short blocks.
    private var hasTakenShort = false

    init(_ limits: Limits = Limits()) {
        // No input reaches it: the limits are constants of the program.
        precondition(
            limits.deadShare < limits.deadShareMax && limits.deadShareMax < 100,
            "\(limits.deadShare) and \(limits.deadShareMax) hundredths")
        self.limits = limits
    }

    /// The bytes in memory.
    var memoryByteCount: Int { blocks.count * MemoryLayout<Block>.stride }

    var deadByteCount: Int { byteCount - liveByteCount }

    /// The dead bytes above which blocks are merged, and that are not being merged yet: the merge debt.
    var debtByteCount: Int { max(0, deadByteCount - byteCount * limits.deadShare / 100) }

    /// Whether a flush waits for a block that is being read, because too much is dead.
    var mustWait: Bool { mergingCount > 0 && deadByteCount * 100 > byteCount * limits.deadShareMax }

    // MARK: Events

    /// Notes a block of the transaction under way, all of it live.
    mutating func wrote(_ ordinal: Int, byteCount: Int) {
        // No input reaches it: the writer gives an ordinal only when its block is gone.
        precondition(self[ordinal].phase == .none, "block \(ordinal) is there already")
        let size = UInt32(byteCount)
        self[ordinal] = Block(byteCount: size, liveByteCount: size, phase: .written)
        writtenOrdinals.append(ordinal)
        blockCount += 1
        self.byteCount += byteCount
        liveByteCount += byteCount
    }

    /// Notes that an entity of a block was replaced, removed or copied.
    ///
    /// - Parameter byteCount: Its share of the block's bytes.
    mutating func died(in ordinal: Int, byteCount: Int) {
        var block = self[ordinal]
        // No input reaches it: the index names a place once, and a block that is gone has none.
        precondition(
            block.phase != .none && Int(block.liveByteCount) >= byteCount,
            "\(byteCount) bytes of block \(ordinal) cannot die: \(block)")
        block.liveByteCount -= UInt32(byteCount)
        self[ordinal] = block
        liveByteCount -= byteCount
        if block.phase == .merging { mergingDeadByteCount += byteCount }
    }

    /// Notes that the transaction under way was committed: its blocks may be merged from now on.
    mutating func committed() {
        for ordinal in writtenOrdinals { self[ordinal].phase = .settled }
        writtenOrdinals = []
    }

    /// Notes that a merged block was deleted; nothing of it is live.
    mutating func gone(_ ordinal: Int) {
        let block = self[ordinal]
        // No input reaches it: only chosen blocks are merged, and all that is live in one is copied first.
        precondition(
            block.phase == .merging && block.liveByteCount == 0, "block \(ordinal) was not merged, or is not dead")
        byteCount -= Int(block.byteCount)
        mergingDeadByteCount -= Int(block.byteCount)
        mergingCount -= 1
        blockCount -= 1
        self[ordinal] = Block()
    }

    /// Notes that a block was deleted with its library, whatever of it was live.
    mutating func cleared(_ ordinal: Int) {
        let block = self[ordinal]
        // No input reaches it: only blocks of earlier transactions are cleared.
        precondition(block.phase != .none && block.phase != .written, "block \(ordinal) is not there")
        byteCount -= Int(block.byteCount)
        liveByteCount -= Int(block.liveByteCount)
        blockCount -= 1
        if block.phase == .merging {
            mergingCount -= 1
            mergingDeadByteCount -= block.deadByteCount
        }
        self[ordinal] = Block()
    }

    /// Notes that a block that was chosen stays: its transaction failed.
    mutating func kept(_ ordinal: Int) { end(of: ordinal, .settled) }

    /// Notes that a block that was chosen is damaged so that nothing can be read from it: it is not chosen again.
    mutating func setAside(_ ordinal: Int) { end(of: ordinal, .unmergeable) }

    private mutating func end(of ordinal: Int, _ phase: Phase) {
        // No input reaches it: only chosen blocks are read.
        precondition(self[ordinal].phase == .merging, "block \(ordinal) is not being merged")
        self[ordinal].phase = phase
        mergingCount -= 1
        mergingDeadByteCount -= self[ordinal].deadByteCount
    }

    private subscript(ordinal: Int) -> Block {
        get { ordinal <= blocks.count ? blocks[ordinal - 1] : Block() }
        set {
            if ordinal > blocks.count { blocks += Array(repeating: Block(), count: ordinal - blocks.count) }
            blocks[ordinal - 1] = newValue
        }
    }

    // MARK: The decision

    /// Chooses the blocks to merge next: those with the least live bytes for a full block, until the debt is paid.
    ///
    /// - Parameter countMax: The most blocks.
    /// - Returns: Ordinals in ascending order, which is about that of the file; empty when there is no debt, or nothing
    ///   that is dead can be merged.
    /// - Complexity: O(blocks + chosen log chosen).
    mutating func victims(countMax: Int) -> [Int] {
        var debt = debtByteCount - mergingDeadByteCount
        guard debt > 0 else { return [] }
        // Shares are counted first, so that only those that may be chosen are sorted.
        var counts = Array(repeating: 0, count: 1_001)
        for block in blocks where isCandidate(block) { counts[liveShare(of: block)] += 1 }
        var highest = 0
        var count = 0
        while highest < 1_000, count + counts[highest] < countMax {
            count += counts[highest]
            highest += 1
        }
        var candidates: [(ordinal: Int, share: Int)] = []
        for (index, block) in blocks.enumerated() where isCandidate(block) {
            let share = liveShare(of: block)
            if share <= highest { candidates.append((index + 1, share)) }
        }
        candidates.sort { ($0.share, $0.ordinal) < ($1.share, $1.ordinal) }
        var chosen: [Int] = []
        for candidate in candidates {
            guard chosen.count < countMax, debt > 0 else { break }
            let deadByteCount = self[candidate.ordinal].deadByteCount
            self[candidate.ordinal].phase = .merging
            mergingCount += 1
            mergingDeadByteCount += deadByteCount
            debt -= deadByteCount
            chosen.append(candidate.ordinal)
        }
        return chosen.sorted()
    }

    /// Chooses the blocks to merge while nothing else is to do: those of which a third is dead, and short ones when
    /// there are many, as after many small flushes.
    ///
    /// - Parameter countMax: The most blocks.
    /// - Returns: Ordinals in ascending order; empty when it is not worth it.
    /// - Complexity: O(blocks).
    mutating func victimsAtRest(countMax: Int) -> [Int] {
        let shortCount = blocks.count { isShort($0) }
        if hasTakenShort { shortCountLeft = shortCount }
        let mergesShort = shortCount >= 2 * shortCountLeft + limits.shortCountAtRest
        var chosen: [Int] = []
        for (index, block) in blocks.enumerated()
        where isLoose(block) || mergesShort && isShort(block) {
            guard chosen.count < countMax else { break }
            chosen.append(index + 1)
        }
        for ordinal in chosen {
            mergingDeadByteCount += self[ordinal].deadByteCount
            self[ordinal].phase = .merging
        }
        mergingCount += chosen.count
        hasTakenShort = mergesShort && chosen.count < countMax
        return chosen
    }

    /// The dead bytes that are merged while nothing else is to do.
    ///
    /// - Complexity: O(blocks).
    var looseByteCount: Int { blocks.reduce(0) { $0 + (isLoose($1) ? $1.deadByteCount : 0) } }

    /// Whether much of a block is dead.
    private func isLoose(_ block: Block) -> Bool {
        block.phase == .settled && block.deadByteCount * 100 > Int(block.byteCount) * limits.deadShareAtRest
    }

    /// Whether a small flush left a block short.
    private func isShort(_ block: Block) -> Bool {
        block.phase == .settled && Int(block.byteCount) < limits.fullByteCount / 4
    }

    /// Whether merging a block gains anything: something is dead.
    private func isCandidate(_ block: Block) -> Bool {
        block.phase == .settled && block.liveByteCount < block.byteCount
    }

    /// The live bytes in thousandths of a full block, so that a block that a small flush left short comes early.
    private func liveShare(of block: Block) -> Int {
        Int(block.liveByteCount) * 1_000 / max(limits.fullByteCount, Int(block.byteCount))
    }

    /// Checks the sums against the blocks.
    ///
    /// No input reaches it: only tests call it.
    func checkInvariants() {
        precondition(byteCount == blocks.reduce(0) { $0 + Int($1.byteCount) }, "\(byteCount) bytes by the counter")
        precondition(liveByteCount == blocks.reduce(0) { $0 + Int($1.liveByteCount) }, "\(liveByteCount) live bytes")
        precondition(blockCount == blocks.count { $0.phase != .none }, "\(blockCount) blocks by the counter")
        let merging = blocks.filter { $0.phase == .merging }
        precondition(mergingCount == merging.count, "\(mergingCount) being merged")
        precondition(
            mergingDeadByteCount == merging.reduce(0) { $0 + $1.deadByteCount }, "\(mergingDeadByteCount) dead in them")
        let written = blocks.indices.filter { blocks[$0].phase == .written }.map { $0 + 1 }
        precondition(Set(writtenOrdinals) == Set(written), "other blocks were written")
    }
}
