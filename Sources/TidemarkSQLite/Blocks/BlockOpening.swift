import TidemarkStore

/// Builds the index, the ledger and the planner from the tables: from the stored segments, and from the directories of
/// the blocks that these do not include yet.
///
/// If a segment or a directory is damaged, or a position names no block, everything is rebuilt from the directories of
/// all blocks.
struct BlockOpening {
    private(set) var found: OpenedBlocks
    /// The keys of stored segments whose block is deleted, until a later block with them is found.
    private var moved: Set<KeyHash> = []

    private let seed: UInt64
    private let limits: MergePlanner.Limits
    private let table: BlockTable
    private let unpacker: BlockUnpacker
    private let dictionaries: [Int64: PayloadDictionary]
    private let isCancelled: () -> Bool

    /// The error for tables that are damaged or contradict themselves.
    private struct Contradiction: Error {}

    /// Reads the tables.
    ///
    /// - Parameters:
    ///   - dictionaries: For salvaging damaged blocks.
    ///   - isCancelled: Returns true if the index is no longer needed; called for each block and each segment.
    /// - Throws: ``SQLiteError``; `CancellationError`.
    /// - Complexity: O(keys + blocks).
    init(
        _ connection: OpaquePointer, _ configuration: BlockStore.Configuration,
        dictionaries: [Int64: PayloadDictionary], isCancelled: @escaping () -> Bool = { false }
    ) throws {
        seed = configuration.hashSeed
        limits = configuration.limits
        found = OpenedBlocks(limits)
        table = try BlockTable(connection)
        unpacker = try BlockUnpacker()
        self.dictionaries = dictionaries
        self.isCancelled = isCancelled
        do {
            let blob = BlockBlob(connection)
            try readSegments(try readHeads(blob))
            try replay(blob)
            try plan()
        } catch is Contradiction {
            try rebuild()
        }
    }

    private func checkCancellation() throws {
        if isCancelled() { throw CancellationError() }
    }

    /// Adds all blocks to the ledger.
    ///
    /// - Returns: The ordinal of each block, by its number.
    private mutating func readHeads(_ blob: BlockBlob) throws -> BlockOrdinals {
        var ordinals = BlockOrdinals()
        try table.forEachBlock { number, byteCount in
            try checkCancellation()
            guard 1...BlockPlace.numberMax ~= number else { throw Contradiction() }
            found.lastNumber = max(found.lastNumber, number)
            guard case .success(let head) = try blob.head(of: number, byteCount: byteCount),
                add(head, number: number, byteCount: byteCount)
            else { throw Contradiction() }
            ordinals.append(head.ordinal, of: number)
        }
        return ordinals
    }

    /// How many segments are restored together, on several processors: at most 4 MiB with ten million keys.
    private static let segmentGroupCount = 128

    private mutating func readSegments(_ ordinals: BlockOrdinals) throws {
        var damagedCount = 0
        var isContradicted = false
        var group: [(index: Int, through: Int64, bytes: [UInt8])] = []
        func restoreGroup() {
            let seed = seed
            let threads = [Int](0..<ParallelThreads.count)
            let restored = ParallelWork.map(group, contexts: threads) { _, row -> (isWhole: Bool, RestoredSegment?) in
                let stored = StoredSegment(
                    row.bytes, as: row.index, seed: StoredSegment.seed(of: seed, through: row.through))
                let restored = stored.flatMap { RestoredSegment($0, as: row.index) { ordinals[$0] } }
                return (stored != nil, restored)
            }
            for (row, (isWhole, segment)) in zip(group, restored) {
                if !isWhole { damagedCount += 1 }
                guard let segment else {
                    isContradicted = true
                    continue
                }
                found.state.places.restore(segment)
                moved.formUnion(segment.leftOut)
                found.throughs[row.index] = row.through
            }
            group.removeAll(keepingCapacity: true)
        }
        try table.forEachSegment { segment, through, bytes in
            try checkCancellation()
            found.lastNumber = max(found.lastNumber, min(through, BlockPlace.numberMax))
            guard 0..<Int64(KeyPlaceIndex.segmentCount) ~= segment, 0...BlockPlace.numberMax ~= through else {
                damagedCount += 1
                return
            }
            group.append((Int(segment), through, bytes))
            if group.count == BlockOpening.segmentGroupCount { restoreGroup() }
        }
        restoreGroup()
        found.damage.segmentCount = damagedCount
        if damagedCount > 0 || isContradicted { throw Contradiction() }
    }

    /// Adds the entries of the blocks after the oldest segment to the index.
    private mutating func replay(_ blob: BlockBlob) throws {
        try table.forEachBlock(after: found.throughs.min() ?? 0) { number, byteCount in
            try checkCancellation()
            guard case .success(let content) = try blob.directory(of: number, byteCount: byteCount) else {
                throw Contradiction()
            }
            note(content, number: number) { _ in true }
        }
        // A key whose block is deleted has its newest version in a later block, to which it was copied.
        guard moved.isEmpty else { throw Contradiction() }
    }

    /// Rebuilds everything from the directories of all blocks, of damaged ones as far as they can be read.
    private mutating func rebuild() throws {
        found.isRebuilt = true
        moved = []
        found.state = BlockIndex.State()
        found.removals = RemovalLedger()
        found.planner = MergePlanner(limits)
        found.throughs = Array(repeating: 0, count: KeyPlaceIndex.segmentCount)
        try table.forEachBlock { number, byteCount in
            try checkCancellation()
            // A forged file can have any number, and no sum may overflow.
            guard 1...BlockPlace.numberMax ~= number else { return found.damagedBlocks.append(number) }
            found.lastNumber = max(found.lastNumber, number)
            guard let body = try table.body(number: number),
                case .success(let content) = BlockSalvage.content(
                    of: body, number: number, unpacker: unpacker, dictionaries: dictionaries),
                add(content.directory.head, number: number, byteCount: byteCount)
            else { return found.damagedBlocks.append(number) }
            let isWhole = BlockSalvage.isWhole(body, number: number)
            if !isWhole { found.damagedBlocks.append(number) }
            // If the directory fails its check, only the entities' own checks show which entries are right.
            note(content, number: number) { isWhole || content.withStored(at: $0) { _, _, _ in } != nil }
        }
        found.damage.blockCount = found.damagedBlocks.count
        // A damaged directory may have named an ordinal that a later block has.
        let ledger = found.state.ledger
        found.damage.entityCount += found.state.places.removeAll { !BlockOpening.exists($0, in: ledger) }
        try plan()
    }

    /// Adds a block to the ledger.
    ///
    /// - Returns: False if another block has the ordinal.
    private mutating func add(_ head: BlockHead, number: Int64, byteCount: Int) -> Bool {
        found.state.ledger.add(
            BlockLedger.Block(
                number: number, byteCount: UInt32(clamping: byteCount), library: head.library,
                count: UInt8(head.count)),
            ordinal: head.ordinal)
    }

    /// Adds the entries of a block that the segments do not include yet.
    private mutating func note(_ content: BlockContent, number: Int64, _ isTrue: (Int) -> Bool) {
        let head = content.directory.head
        var removalCount = 0
        for (position, entry) in content.directory.entries.enumerated() where isTrue(position) {
            let hash = content.withID(at: position) { id in
                KeyHash(BlockKey(library: head.library, type: head.type, isUUID: entry.isUUID, id: id), seed: seed)
            }
            if entry.isRemoval { removalCount += 1 }
            guard number > found.throughs[hash.segment] else { continue }
            if !moved.isEmpty { moved.remove(hash) }
            if entry.isRemoval {
                _ = found.state.places.remove(hash)
            } else {
                _ = found.state.places.set(BlockPlace(ordinal: head.ordinal, position: position), of: hash)
            }
        }
        if removalCount > 0 { found.removals.add(ordinal: head.ordinal, number: number, count: removalCount) }
    }

    private static func exists(_ place: BlockPlace, in ledger: BlockLedger) -> Bool {
        guard let block = ledger[place.ordinal] else { return false }
        return place.position < Int(block.count)
    }

    /// Initializes the planner with all blocks, and with how much of each is live.
    private mutating func plan() throws {
        found.state.ledger.findFreeOrdinals()
        let ledger = found.state.ledger
        var liveCounts = [UInt8](repeating: 0, count: ledger.ordinalMax + 1)
        for (ordinal, count) in found.removals.liveCounts where ordinal < liveCounts.count {
            liveCounts[ordinal] = UInt8(clamping: count)
        }
        var isWhole = true
        found.state.places.forEachPlace { place in
            guard BlockOpening.exists(place, in: ledger) else { return isWhole = false }
            // A forged file can have a block's place more often than the block has entities.
            if liveCounts[place.ordinal] < .max { liveCounts[place.ordinal] += 1 }
        }
        guard isWhole else { throw Contradiction() }
        ledger.forEach { ordinal, block in found.planner.wrote(ordinal, byteCount: block.countedByteCount) }
        found.planner.committed()
        ledger.forEach { ordinal, block in
            let deadCount = Int(block.count) - min(Int(block.count), Int(liveCounts[ordinal]))
            found.planner.died(in: ordinal, byteCount: deadCount * block.share)
        }
    }
}
