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
    init(entityCount: Int, eventsPerEntity: Int) {
        var settings = SyntheticSettings()
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
        var framer = LineFramer()
        var blocks: [LineBlock] = []
        var offset = 0
        bytes.withUnsafeBytes { bytes in
            while offset < byteCount {
                let count = min(Workload.chunkByteCount, byteCount - offset)
                framer.append(UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
                offset += count
                blocks += framer.takeBlocks()
            }
        }
        framer.finish()
        return blocks + framer.takeBlocks()
    }

    /// Frames and decodes the whole input.
    ///
    /// - Parameter body: Gets each batch, in order.
    func decode(_ body: (EventBatch) throws -> Void) throws {
        let pool = BatchPool()
        var framer = LineFramer(pool: pool)
        let decoder = try EventDecoder(pool: pool)
        var offset = 0
        try bytes.withUnsafeBytes { bytes in
            while offset < byteCount {
                let count = framer.read(byteCountMax: Workload.chunkByteCount) { space in
                    let count = min(space.count, byteCount - offset)
                    space.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[offset..<offset + count]))
                    return count
                }
                offset += count
                for block in framer.takeBlocks() { try body(try decoder.decode(block)) }
            }
        }
        framer.finish()
        for block in framer.takeBlocks() { try body(try decoder.decode(block)) }
    }
}
