/// A block to merge, as read from the file.
struct VictimBlock {
    let ordinal: Int
    let number: Int64
    /// The block, or why nothing can be read from it. Damaged data is unpacked as far as possible: each entity has its
    /// own check.
    let content: Result<BlockContent, PayloadError>

    /// The size of the block, packed and unpacked.
    var byteCount: Int {
        guard case .success(let content) = content else { return 0 }
        return content.bytes.count + content.data.count
    }

    /// Unpacks a block.
    ///
    /// - Parameter body: The bytes of the row; nil when there is no row.
    init(
        ordinal: Int, number: Int64, body: [UInt8]?, unpacker: BlockUnpacker, dictionaries: [Int64: PayloadDictionary]
    ) {
        self.ordinal = ordinal
        self.number = number
        content =
            body.map {
                BlockSalvage.content(of: $0, number: number, unpacker: unpacker, dictionaries: dictionaries)
            } ?? .failure(.rowMissing)
    }
}

/// Reads blocks to merge. Owner: the writer.
protocol VictimSource: AnyObject {
    /// The number of blocks that were requested and not taken.
    var requestedCount: Int { get }

    /// Requests blocks.
    ///
    /// - Parameter blocks: Committed blocks, in the order of the file.
    func request(_ blocks: [(ordinal: Int, number: Int64)])

    /// Takes blocks that were read, in the order of their requests.
    ///
    /// - Parameters:
    ///   - countMax: The most blocks to take.
    ///   - waits: True to wait for a requested block that is not read yet.
    ///   - dictionaries: The writer's dictionaries; a source with a thread loads its own.
    /// - Returns: Some blocks; empty when none is read, or none was requested.
    /// - Throws: ``SQLiteError`` when the file cannot be read. The next call tries again.
    func take(countMax: Int, waits: Bool, dictionaries: [Int64: PayloadDictionary]) throws -> [VictimBlock]

    /// Drops all requests, and closes what was opened.
    func stop()
}

/// Reads each block when it is taken, on the writer's connection. Without a thread, every run with the same input does
/// the same.
final class VictimsInPlace: VictimSource {
    private let table: BlockTable
    private let unpacker: BlockUnpacker
    /// The requested blocks, the next one last. Bounded by what the planner chose.
    private var requested: [(ordinal: Int, number: Int64)] = []

    init(_ table: BlockTable, _ unpacker: BlockUnpacker) {
        self.table = table
        self.unpacker = unpacker
    }

    var requestedCount: Int { requested.count }

    func request(_ blocks: [(ordinal: Int, number: Int64)]) { requested.insert(contentsOf: blocks.reversed(), at: 0) }

    func stop() { requested = [] }

    func take(countMax: Int, waits: Bool, dictionaries: [Int64: PayloadDictionary]) throws -> [VictimBlock] {
        guard let (ordinal, number) = requested.last else { return [] }
        let body = try table.body(number: number)
        requested.removeLast()
        return [
            VictimBlock(ordinal: ordinal, number: number, body: body, unpacker: unpacker, dictionaries: dictionaries)
        ]
    }
}
