/// A block that is to be merged, read but not yet merged.
struct VictimBlock {
    let ordinal: Int
    let number: Int64
    /// The block, or why nothing can be read from it. Data that is damaged is unpacked as far as possible: each entity
    /// has its own check.
    let content: Result<BlockContent, PayloadFault>

    /// The bytes of the block, packed and unpacked.
    var byteCount: Int {
        guard case .success(let content) = content else { return 0 }
        return content.bytes.count + content.data.count
    }

    /// - Parameter body: The bytes of the row; nil when there is none.
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

/// Reads blocks that are to be merged. Owner: the writer.
protocol VictimSource: AnyObject {
    /// The blocks that were requested and not taken.
    var requestedCount: Int { get }

    /// - Parameter blocks: Committed blocks, in the order of the file.
    func request(_ blocks: [(ordinal: Int, number: Int64)])

    /// Takes blocks that were read, in the order of their requests.
    ///
    /// - Parameter waits: Whether to wait for a block that was requested and is not there yet.
    /// - Parameters:
    ///   - countMax: The most blocks.
    ///   - dictionaries: The writer's dictionaries; a source with a thread loads its own.
    /// - Returns: Some blocks; empty when none is there, or none was requested.
    /// - Throws: ``SQLiteFailure`` when the file cannot be read. The next call tries again.
    func take(countMax: Int, waits: Bool, dictionaries: [Int64: PayloadDictionary]) throws -> [VictimBlock]

    /// Forgets what was requested, and closes what was opened.
    func stop()
}

/// Reads victims when they are taken, one at a time, on the writer's connection. Without a thread: every run with the
/// same input does the same.
final class VictimsInPlace: VictimSource {
    private let table: BlockTable
    private let unpacker: BlockUnpacker
    /// The victims, at most what the planner chose.
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
