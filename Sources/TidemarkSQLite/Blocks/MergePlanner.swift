/// Decides which blocks are merged, and when. A pure value, without disk, time or threads.
///
/// To merge a block, its live entities are copied to a new block and it is deleted, in one transaction. For each block,
/// the planner keeps only its size and how much of it is live.
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
        /// The share of a block's own bytes that must be dead for it to be merged while nothing else is to be done.
        var deadShareAtRest = 33
        /// How many short blocks are merged together while nothing else is to be done.
        var shortCountAtRest = 64
        /// The size of a full block. A smaller block is merged as if the rest were dead.
        var fullByteCount = BlockCodec.fullByteCount
    }

    /// The state of a block between its first write and its merge.
    private enum Phase: UInt8 {
        /// No block has the ordinal.
        case none
        /// Written by the current transaction: no reader can see it yet.
        case written
        /// Committed, and not chosen to be merged.
        case settled
        /// Being read, to be merged by a later transaction.
        case merging
        /// Too damaged to be merged. It stays until the file is repaired.
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
    /// The blocks by ordinal, from 1 on. Unused ordinals have an empty entry.
    private var blocks: [Block] = []
    private(set) var blockCount = 0
    /// The ordinals that the current transaction has written.
    private var writtenOrdinals: [Int] = []
    /// The bytes of all blocks.
    private(set) var byteCount = 0
    private(set) var liveByteCount = 0
    /// The number of blocks that are being read for merging, or wait for their transaction.
    private(set) var mergingCount = 0
    /// The dead bytes of the blocks that are being merged, which are as good as freed.
    private var mergingDeadByteCount = 0
    /// How many short blocks were left when such blocks were last merged: at least one for each type.
    private var shortCountLeft = 0
    /// True if the last choice at rest took all short blocks.
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

    /// The merge debt: how many dead bytes exceed the share at which blocks are merged.
    var debtByteCount: Int { max(0, deadByteCount - byteCount * limits.deadShare / 100) }

    /// True if a flush must wait for a block that is being read, because too much is dead.
    var mustWait: Bool { mergingCount > 0 && deadByteCount * 100 > byteCount * limits.deadShareMax }

    // MARK: Events

    /// Adds a block that the current transaction has written, all of it live.
    mutating func wrote(_ ordinal: Int, byteCount: Int) {
        // No input reaches it: the writer reuses an ordinal only after its block was deleted.
        precondition(self[ordinal].phase == .none, "block \(ordinal) is there already")
        let size = UInt32(byteCount)
        self[ordinal] = Block(byteCount: size, liveByteCount: size, phase: .written)
        writtenOrdinals.append(ordinal)
        blockCount += 1
        self.byteCount += byteCount
        liveByteCount += byteCount
    }

    /// Records that an entity of a block was replaced, removed or copied.
    ///
    /// - Parameter byteCount: Its share of the block's bytes.
    mutating func died(in ordinal: Int, byteCount: Int) {
        var block = self[ordinal]
        // No input reaches it: each place is in the index at most once, and a deleted block has none.
        precondition(
            block.phase != .none && Int(block.liveByteCount) >= byteCount,
            "\(byteCount) bytes of block \(ordinal) cannot die: \(block)")
        block.liveByteCount -= UInt32(byteCount)
        self[ordinal] = block
        liveByteCount -= byteCount
        if block.phase == .merging { mergingDeadByteCount += byteCount }
    }

    /// Records that the current transaction was committed, so that its blocks may be merged.
    mutating func committed() {
        for ordinal in writtenOrdinals { self[ordinal].phase = .settled }
        writtenOrdinals = []
    }

    /// Records that a merged block was deleted. Nothing of it may be live.
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

    /// Records that a block was deleted with its library, whatever part of it was live.
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

    /// Records that a chosen block stays, because its transaction failed.
    mutating func kept(_ ordinal: Int) { end(of: ordinal, .settled) }

    /// Records that nothing can be read from a chosen block, so that it is not chosen again.
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
    /// - Returns: Ordinals in ascending order, roughly that of the file; empty when there is no debt, or nothing dead
    ///   can be merged.
    /// - Complexity: O(blocks + chosen log chosen).
    mutating func victims(countMax: Int) -> [Int] {
        var debt = debtByteCount - mergingDeadByteCount
        guard debt > 0 else { return [] }
        // Shares are counted first, so that only candidates that may be chosen are sorted.
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

    /// Chooses the blocks to merge while nothing else is to be done: those of which a third is dead, and short ones
    /// when there are many, as after many small flushes.
    ///
    /// - Parameter countMax: The most blocks.
    /// - Returns: Ordinals in ascending order; empty when merging is not worth it.
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

    /// The dead bytes that ``victimsAtRest(countMax:)`` would choose, without short blocks.
    ///
    /// - Complexity: O(blocks).
    var looseByteCount: Int { blocks.reduce(0) { $0 + (isLoose($1) ? $1.deadByteCount : 0) } }

    /// Returns true if more than a third of a block is dead.
    private func isLoose(_ block: Block) -> Bool {
        block.phase == .settled && block.deadByteCount * 100 > Int(block.byteCount) * limits.deadShareAtRest
    }

    /// Returns true if a block is less than a quarter full, as after a small flush.
    private func isShort(_ block: Block) -> Bool {
        block.phase == .settled && Int(block.byteCount) < limits.fullByteCount / 4
    }

    /// Returns true if merging a block gains anything, because something in it is dead.
    private func isCandidate(_ block: Block) -> Bool {
        block.phase == .settled && block.liveByteCount < block.byteCount
    }

    /// Returns the live bytes in thousandths of a full block, so that short blocks are chosen early.
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
