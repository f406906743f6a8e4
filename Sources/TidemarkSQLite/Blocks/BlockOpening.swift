import TidemarkStore

/// Makes the index, the ledger and the planner from the tables: from the stored segments and the directories of the
/// blocks that they do not know.
///
/// Where a segment or a directory is damaged, or a place names no block, everything is made again from the directories
/// of all blocks.
struct BlockOpening {
    private(set) var state = BlockIndex.State()
    private(set) var planner: MergePlanner
    private(set) var removals = RemovalLedger()
    private(set) var damage = BlockStore.Damage()
    /// Whether everything was made again from the directories of all blocks.
    private(set) var isRebuilt = false
    private(set) var lastNumber: Int64 = 0
    /// The last block that each stored segment knows.
    private(set) var throughs = Array(repeating: Int64(0), count: KeyPlaceIndex.segmentCount)

    private let seed: UInt64
    private let limits: MergePlanner.Limits
    private let table: BlockTable
    private let unpacker: BlockUnpacker
    private let dictionaries: [Int64: PayloadDictionary]

    /// The tables contradict themselves, or are damaged.
    private struct Contradiction: Error {}

    /// - Throws: ``SQLiteFailure``.
    init(
        _ connection: OpaquePointer, _ table: BlockTable, _ configuration: BlockStore.Configuration,
        unpacker: BlockUnpacker, dictionaries: [Int64: PayloadDictionary]
    ) throws {
        seed = configuration.hashSeed
        limits = configuration.limits
        planner = MergePlanner(limits)
        self.table = table
        self.unpacker = unpacker
        self.dictionaries = dictionaries
        do {
            try readSegments()
            try replay(BlockBlob(connection))
            try plan()
        } catch is Contradiction {
            try rebuild()
        }
    }

    private mutating func readSegments() throws {
        var damagedCount = 0
        try table.forEachSegment { segment, through, bytes in
            lastNumber = max(lastNumber, min(through, StoredNumber.max))
            guard 0..<Int64(KeyPlaceIndex.segmentCount) ~= segment, 0...StoredNumber.max ~= through,
                state.places.restore(segment: Int(segment), bytes)
            else {
                damagedCount += 1
                return
            }
            throughs[Int(segment)] = through
        }
        damage.segmentCount = damagedCount
        if damagedCount > 0 { throw Contradiction() }
    }

    /// Adds all blocks to the ledger, and the entries of those behind the oldest segment to the index.
    private mutating func replay(_ blob: BlockBlob) throws {
        let storedThrough = throughs.min() ?? 0
        try table.forEachBlock { number, byteCount in
            guard 1...StoredNumber.max ~= number else { throw Contradiction() }
            lastNumber = max(lastNumber, number)
            var bytes = try blob.prefix(of: number, BlockCodec.headByteCountMax)
            let head = bytes.withUnsafeBytes { bytes in
                Result { () throws(PayloadFault) in try BlockHead(bytes, blockByteCount: byteCount) }
            }
            guard case .success(let head) = head, add(head, number: number, byteCount: byteCount) else {
                throw Contradiction()
            }
            guard number > storedThrough else { return }
            bytes = try blob.prefix(of: number, head.data.lowerBound)
            let directory = bytes.withUnsafeBytes { bytes in
                Result { () throws(PayloadFault) in
                    try BlockDirectory(bytes, number: number, blockByteCount: byteCount)
                }
            }
            guard case .success(let directory) = directory else { throw Contradiction() }
            note(BlockContent(directory, bytes: bytes, data: []), number: number) { _ in true }
        }
    }

    /// Makes everything again from the directories of all blocks, damaged ones as far as they can be read.
    private mutating func rebuild() throws {
        isRebuilt = true
        state = BlockIndex.State()
        removals = RemovalLedger()
        planner = MergePlanner(limits)
        throughs = Array(repeating: 0, count: KeyPlaceIndex.segmentCount)
        try table.forEachBlock { number, byteCount in
            // A forged file can have any number, and no sum may overflow.
            guard 1...StoredNumber.max ~= number else {
                damage.blockCount += 1
                return
            }
            lastNumber = max(lastNumber, number)
            guard let body = try table.body(number: number),
                case .success(let content) = BlockSalvage.content(
                    of: body, number: number, unpacker: unpacker, dictionaries: dictionaries),
                add(content.directory.head, number: number, byteCount: byteCount)
            else {
                damage.blockCount += 1
                return
            }
            let isWhole = content.directory.entries.count == content.directory.head.count
            if !isWhole { damage.blockCount += 1 }
            // Without a check of the directory only the entities' own say which entries are true.
            note(content, number: number) { isWhole || content.withStored(at: $0) { _, _, _ in } != nil }
        }
        // A damaged directory may have named an ordinal that a later block has.
        let ledger = state.ledger
        damage.entityCount += state.places.removeAll { !BlockOpening.exists($0, in: ledger) }
        try plan()
    }

    /// - Returns: false when another block has the ordinal.
    private mutating func add(_ head: BlockHead, number: Int64, byteCount: Int) -> Bool {
        state.ledger.add(
            BlockLedger.Block(
                number: number, byteCount: UInt32(clamping: byteCount), library: head.library,
                count: UInt8(head.count)),
            ordinal: head.ordinal)
    }

    /// Notes the entries of a block that segments do not know.
    private mutating func note(_ content: BlockContent, number: Int64, _ isTrue: (Int) -> Bool) {
        let head = content.directory.head
        var removalCount = 0
        for (position, entry) in content.directory.entries.enumerated() where isTrue(position) {
            let hash = content.withID(at: position) { id in
                KeyHash(BlockKey(library: head.library, type: head.type, isUUID: entry.isUUID, id: id), seed: seed)
            }
            if entry.isRemoval { removalCount += 1 }
            guard number > throughs[hash.segment] else { continue }
            if entry.isRemoval {
                _ = state.places.remove(hash)
            } else {
                _ = state.places.set(BlockPlace(ordinal: head.ordinal, position: position), of: hash)
            }
        }
        if removalCount > 0 { removals.add(ordinal: head.ordinal, number: number, count: removalCount) }
    }

    private static func exists(_ place: BlockPlace, in ledger: BlockLedger) -> Bool {
        guard let block = ledger[place.ordinal] else { return false }
        return place.position < Int(block.count)
    }

    /// Tells the planner which blocks there are, and how much of each is live.
    private mutating func plan() throws {
        state.ledger.findFreeOrdinals()
        let ledger = state.ledger
        var liveCounts: [Int: Int] = removals.liveCounts
        var isWhole = true
        state.places.forEachPlace { place in
            isWhole = isWhole && BlockOpening.exists(place, in: ledger)
            liveCounts[place.ordinal, default: 0] += 1
        }
        guard isWhole else { throw Contradiction() }
        ledger.forEach { ordinal, block in planner.wrote(ordinal, byteCount: block.countedByteCount) }
        planner.committed()
        ledger.forEach { ordinal, block in
            let deadCount = Int(block.count) - min(Int(block.count), liveCounts[ordinal] ?? 0)
            planner.died(in: ordinal, byteCount: deadCount * block.share)
        }
    }
}
