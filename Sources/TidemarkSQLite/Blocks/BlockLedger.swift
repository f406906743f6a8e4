import TidemarkStore

/// The existing blocks by their ordinals, and the free ordinals.
///
/// A block takes 16 bytes. Owner: ``BlockIndex``, together with the positions that contain the ordinals.
struct BlockLedger {
    /// An existing block.
    struct Block: Hashable {
        /// The number of the row; 0 if no block has this ordinal.
        var number: Int64
        /// The bytes of the row.
        var byteCount: UInt32
        /// The library of its entities.
        var library: LibraryIndex
        /// The number of entities and removals.
        var count: UInt8

        /// The bytes that count for each entity of the block.
        var share: Int { Int(byteCount) / max(1, Int(count)) }
        /// The bytes that count for the block: the share of each entity, times their number.
        var countedByteCount: Int { share * Int(count) }
    }

    /// The blocks from ordinal 1 on; at most ``BlockPlace/ordinalMax``.
    private var blocks: [Block] = []
    private var freeOrdinals: [Int] = []
    /// All ordinals below it are in use, or free.
    private var nextOrdinal = 1

    private static let none = Block(number: 0, byteCount: 0, library: 0, count: 0)

    /// The highest ordinal that a block has had.
    var ordinalMax: Int { blocks.count }

    /// The bytes in memory.
    var byteCount: Int { blocks.count * MemoryLayout<Block>.stride }

    /// The block with an ordinal; nil when there is none.
    subscript(ordinal: Int) -> Block? {
        guard 1...blocks.count ~= ordinal, blocks[ordinal - 1].number > 0 else { return nil }
        return blocks[ordinal - 1]
    }

    /// Reserves an ordinal that no block has.
    ///
    /// - Returns: nil when there is none, because the file has 33 million blocks.
    mutating func reserve() -> Int? {
        if let ordinal = freeOrdinals.popLast() { return ordinal }
        guard nextOrdinal <= BlockPlace.ordinalMax else { return nil }
        defer { nextOrdinal += 1 }
        return nextOrdinal
    }

    /// Frees an ordinal that was reserved and not used.
    mutating func giveBack(_ ordinal: Int) { freeOrdinals.append(ordinal) }

    /// Adds a block under an ordinal that was reserved, or was read from a file.
    ///
    /// - Returns: False if another block has the ordinal.
    mutating func add(_ block: Block, ordinal: Int) -> Bool {
        if blocks.count < ordinal {
            blocks += Array(repeating: BlockLedger.none, count: ordinal - blocks.count)
        }
        guard blocks[ordinal - 1].number == 0 else { return false }
        blocks[ordinal - 1] = block
        return true
    }

    mutating func remove(_ ordinal: Int) {
        blocks[ordinal - 1] = BlockLedger.none
        freeOrdinals.append(ordinal)
    }

    /// Finds the free ordinals, after the blocks of a file were added.
    mutating func findFreeOrdinals() {
        nextOrdinal = blocks.count + 1
        freeOrdinals = blocks.indices.reversed().filter { blocks[$0].number == 0 }.map { $0 + 1 }
    }

    /// Calls a function with each block, in the order of the ordinals.
    func forEach(_ body: (Int, Block) -> Void) {
        for (index, block) in blocks.enumerated() where block.number > 0 { body(index + 1, block) }
    }
}
