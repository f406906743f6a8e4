import TidemarkModel
import TidemarkTesting
import TidemarkWire

/// The input of the suites: entities seen once, then updated in random order; fixed seed.
struct Workload {
    /// NDJSON, with room behind it that a parser may read.
    let bytes: [UInt8]
    let byteCount: Int
    let lineCount: Int
    let entityCount: Int

    /// - Parameter updatesPerEntity: Events an entity, the first one included.
    init(entityCount: Int, eventsPerEntity: Int, resourceByteCount: Int = 435) {
        var settings = SyntheticSettings()
        settings.resourceByteCount = resourceByteCount
        settings.seed = 20_260_101
        settings.entityCount = entityCount
        settings.updatesPerEntity = eventsPerEntity - 1
        var stream = SyntheticStream(settings)
        var bytes: [UInt8] = []
        while let chunk = stream.nextChunk() { bytes += chunk.stream }
        byteCount = bytes.count
        lineCount = entityCount * eventsPerEntity
        self.entityCount = entityCount
        bytes.append(contentsOf: repeatElement(0, count: LineBlock.paddingByteCount))
        self.bytes = bytes
    }

    /// Chunks as a reader would get them.
    static let chunkByteCount = 512 << 10

    /// The input cut into lines, as the decoder gets it.
    func blocks() -> [LineBlock] {
        var blocks: [LineBlock] = []
        frame(BatchPool()) { blocks.append($0) }
        return blocks
    }

    /// Frames and decodes the whole input.
    ///
    /// - Parameter body: Gets each batch, in order.
    func decode(_ body: (EventBatch) throws -> Void) throws {
        let pool = BatchPool()
        let decoder = try EventDecoder(pool: pool)
        try frame(pool) { try body(try decoder.decode($0)) }
    }

    /// Cuts the whole input into lines, a chunk at a time as a reader gets it.
    ///
    /// - Parameter body: Gets each block, in order.
    func frame<Failure: Error>(_ pool: BatchPool, _ body: (LineBlock) throws(Failure) -> Void) throws(Failure) {
        var framer = LineFramer(pool: pool)
        var offset = 0
        while offset < byteCount {
            offset += framer.read(byteCountMax: Workload.chunkByteCount) { space in
                let count = min(space.count, byteCount - offset)
                bytes.withUnsafeBytes {
                    space.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[offset..<offset + count]))
                }
                return count
            }
            for block in framer.takeBlocks() { try body(block) }
        }
        framer.finish()
        for block in framer.takeBlocks() { try body(block) }
    }
}
