import TidemarkModel
import TidemarkTesting
import TidemarkWire

/// The input of the suites: each entity is created once, then entities are updated in random order, with a fixed seed.
struct Workload {
    /// The input as NDJSON, followed by padding that a parser may read.
    let bytes: [UInt8]
    /// The size of the input without the padding, in bytes.
    let byteCount: Int
    /// The number of lines.
    let lineCount: Int
    /// The number of different entities.
    let entityCount: Int

    /// Generates the input.
    ///
    /// - Parameter eventsPerEntity: The number of events for each entity, including the first.
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

    /// The size of the chunks in which the input is read, in bytes.
    static let chunkByteCount = 512 << 10

    /// Returns the input split into lines, as blocks for a decoder.
    func blocks() -> [LineBlock] {
        var blocks: [LineBlock] = []
        frame(BatchPool()) { blocks.append($0) }
        return blocks
    }

    /// Splits and decodes the whole input.
    ///
    /// - Parameter body: Called with each batch, in order.
    func decode(_ body: (EventBatch) throws -> Void) throws {
        let pool = BatchPool()
        let decoder = try EventDecoder(pool: pool)
        try frame(pool) { try body(try decoder.decode($0)) }
    }

    /// Splits the whole input into lines, chunk by chunk as a reader would.
    ///
    /// - Parameter body: Called with each block, in order.
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
