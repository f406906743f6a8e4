/// Allocates the blocks that hold payloads. A block is named by 32 bits: a chunk's number, and the block's index in it,
/// below 64.
///
/// A pointer and a length would take 12 bytes of a slot, and the allocator's header 8 in front of each block. The bits
/// for free blocks are outside of the blocks, so allocating or freeing one touches none of its memory. A chunk without
/// a block in use is returned to the allocator at once.
///
/// - Note: At most 2^26 chunks.
/// - Source: docs/decisions/0003-payload-storage.md.
struct PayloadArena: ~Copyable {
    static let none = UInt32.max
    private let place = StablePlace()
    private let spareByteCountMin: Int
    let memory = PayloadMemory()
    /// The chunks of `memory`. The address changes only when a chunk is added.
    private var chunks: UnsafeMutablePointer<PayloadMemory.Chunk>
    /// For each size class, the first chunk with a free block.
    private let open: UnsafeMutablePointer<UInt32>
    /// For each size class, the number of blocks in use.
    private let usedCounts: UnsafeMutablePointer<UInt32>
    /// The first unused chunk number.
    private var firstFree = PayloadArena.none
    /// How many bytes the blocks in use have.
    private(set) var blockByteCount = 0
    /// How many bytes the chunks have, free blocks included.
    private(set) var chunkByteCount = 0

    /// Creates an empty arena. `spareByteCountMin` is that of ``EntityStore``.
    init(spareByteCountMin: Int = 1 << 20) {
        self.spareByteCountMin = spareByteCountMin
        chunks = memory.chunks
        // The additional entry is for chunks of blocks longer than any class, which have a free block only while it is
        // being allocated.
        open = .allocate(capacity: BlockSize.classCount + 1)
        open.initialize(repeating: PayloadArena.none, count: BlockSize.classCount + 1)
        usedCounts = .allocate(capacity: BlockSize.classCount + 1)
        usedCounts.initialize(repeating: 0, count: BlockSize.classCount + 1)
    }

    deinit {
        open.deallocate()
        usedCounts.deallocate()
    }

    /// Returns the address of a block.
    ///
    /// - Parameter place: A block in use.
    @inline(__always)
    func address(_ place: UInt32) -> UnsafeMutableRawPointer {
        let chunk = chunks + Int(place >> 6)
        return chunk.pointee.start + Int(place & 63) * Int(chunk.pointee.blockByteCount)
    }

    /// Returns the size of a block in bytes.
    ///
    /// - Parameter place: A block in use.
    @inline(__always)
    func byteCount(_ place: UInt32) -> Int { Int(chunks[Int(place >> 6)].blockByteCount) }

    /// Allocates a block of ``BlockSize/rounded(_:)`` bytes and returns its name.
    ///
    /// - Complexity: O(1).
    mutating func allocate(_ byteCount: Int) -> UInt32 {
        let size = BlockSize.classIndex(of: byteCount)
        var number = open[size]
        if number == PayloadArena.none { number = addChunk(size, BlockSize.rounded(byteCount)) }
        let chunk = chunks + Int(number)
        let block = UInt32(truncatingIfNeeded: chunk.pointee.free.trailingZeroBitCount)
        chunk.pointee.free &= chunk.pointee.free - 1
        if chunk.pointee.free == 0 { close(number) }
        usedCounts[size] += 1
        blockByteCount += Int(chunk.pointee.blockByteCount)
        return number << 6 | block
    }

    /// Frees a block.
    ///
    /// - Complexity: O(1).
    mutating func free(_ place: UInt32) {
        let number = place >> 6
        let chunk = chunks + Int(number)
        blockByteCount -= Int(chunk.pointee.blockByteCount)
        usedCounts[Int(chunk.pointee.size)] -= 1
        let wasFull = chunk.pointee.free == 0
        chunk.pointee.free |= 1 << UInt64(place & 63)
        if wasFull { self.open(number) }
        if chunk.pointee.isEmpty { removeChunk(number) }
    }

    // MARK: Moving blocks

    /// True if more bytes are free than half of those in use, and more than `spareByteCountMin`.
    var isSparse: Bool { chunkByteCount - blockByteCount > max(spareByteCountMin, blockByteCount / 2) }

    /// Returns true if moving a block would help: at most half of its chunk is in use, and another chunk has a free
    /// block of its size.
    ///
    /// - Parameter place: A block in use.
    func isWorthMoving(_ place: UInt32) -> Bool {
        let number = place >> 6
        let chunk = chunks[Int(number)]
        return chunk.free.nonzeroBitCount * 2 >= Int(chunk.blockCount) && open[Int(chunk.size)] != number
    }

    /// Copies a block to another place and frees the old one.
    ///
    /// - Returns: The new place.
    mutating func move(_ place: UInt32) -> UInt32 {
        let byteCount = byteCount(place)
        let moved = allocate(byteCount)
        address(moved).copyMemory(from: address(place), byteCount: byteCount)
        free(place)
        return moved
    }

    // MARK: Chunks

    private mutating func addChunk(_ size: Int, _ blockByteCount: Int) -> UInt32 {
        let blockCount = BlockSize.blockCount(blockByteCount, usedCount: Int(usedCounts[size]))
        let added = PayloadMemory.Chunk(
            start: .allocate(byteCount: blockByteCount * blockCount, alignment: 8),
            free: .max >> UInt64(64 - blockCount), blockByteCount: UInt32(blockByteCount),
            previous: PayloadArena.none, next: PayloadArena.none, size: UInt16(size), blockCount: UInt8(blockCount))
        chunkByteCount += added.byteCount
        var number = firstFree
        if number != PayloadArena.none {
            firstFree = chunks[Int(number)].next
            chunks[Int(number)] = added
        } else {
            number = memory.append(added)
            chunks = memory.chunks
        }
        self.open(number)
        return number
    }

    private mutating func removeChunk(_ number: UInt32) {
        close(number)
        let chunk = chunks + Int(number)
        chunkByteCount -= chunk.pointee.byteCount
        chunk.pointee.start.deallocate()
        chunk.pointee.blockCount = 0
        chunk.pointee.next = firstFree
        firstFree = number
    }

    // MARK: The chunks of a class that have a free block

    private func open(_ number: UInt32) {
        let chunk = chunks + Int(number)
        let next = open[Int(chunk.pointee.size)]
        chunk.pointee.previous = PayloadArena.none
        chunk.pointee.next = next
        if next != PayloadArena.none { chunks[Int(next)].previous = number }
        open[Int(chunk.pointee.size)] = number
    }

    private func close(_ number: UInt32) {
        let chunk = chunks[Int(number)]
        if chunk.previous == PayloadArena.none {
            open[Int(chunk.size)] = chunk.next
        } else {
            chunks[Int(chunk.previous)].next = chunk.next
        }
        if chunk.next != PayloadArena.none { chunks[Int(chunk.next)].previous = chunk.previous }
    }

    /// Stops the program if the structure contradicts itself.
    ///
    /// No input reaches it: only tests and the simulation call this.
    ///
    /// - Complexity: O(chunks).
    func checkInvariants() {
        var blockBytes = 0
        var chunkBytes = 0
        var openCount = 0
        for number in 0..<memory.chunkCount where chunks[number].blockCount > 0 {
            let chunk = chunks[number]
            precondition(!chunk.isEmpty, "chunk \(number) has no block in use")
            precondition(
                chunk.free & ~(.max >> UInt64(64 - Int(chunk.blockCount))) == 0, "chunk \(number) has blocks it has not"
            )
            chunkBytes += chunk.byteCount
            blockBytes += (Int(chunk.blockCount) - chunk.free.nonzeroBitCount) * Int(chunk.blockByteCount)
            if chunk.free != 0 { openCount += 1 }
        }
        precondition(blockBytes == blockByteCount, "\(blockBytes) bytes in blocks, \(blockByteCount) counted")
        precondition(chunkBytes == chunkByteCount, "\(chunkBytes) bytes in chunks, \(chunkByteCount) counted")
        for size in 0...BlockSize.classCount {
            var number = open[size]
            var previous = PayloadArena.none
            while number != PayloadArena.none {
                let chunk = chunks[Int(number)]
                precondition(chunk.blockCount > 0 && chunk.free != 0, "chunk \(number) has no free block")
                precondition(chunk.previous == previous && Int(chunk.size) == size, "chunk \(number) is linked wrongly")
                openCount -= 1
                previous = number
                number = chunk.next
            }
        }
        precondition(openCount == 0, "\(openCount) chunks with free blocks are not linked")
    }
}
