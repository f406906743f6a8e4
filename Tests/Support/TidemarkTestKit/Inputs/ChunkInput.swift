import Synchronization
import Tidemark
import TidemarkTesting

/// An input that gives prepared bytes, one chunk a read, and then ends.
package final class ChunkInput: LineInput {
    private let chunks: Mutex<ArraySlice<[UInt8]>>

    package init(_ chunks: [[UInt8]]) {
        self.chunks = Mutex(chunks.filter { !$0.isEmpty }[...])
    }

    /// Cuts a stream at random places into chunks of random sizes.
    package convenience init(_ stream: [UInt8], seed: UInt64, chunkByteCountMax: Int) {
        var random = SeededGenerator(seed: seed)
        var chunks: [[UInt8]] = []
        var rest = stream[...]
        while !rest.isEmpty {
            let chunk = rest.prefix(1 + random.below(chunkByteCountMax))
            chunks.append(Array(chunk))
            rest = rest.dropFirst(chunk.count)
        }
        self.init(chunks)
    }

    package func waitForBytes() {}

    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
        chunks.withLock { chunks in
            guard let chunk = chunks.popFirst() else { return 0 }
            let count = min(chunk.count, buffer.count)
            buffer.copyBytes(from: chunk[..<count])
            if count < chunk.count { chunks = ([Array(chunk[count...])] + chunks)[...] }
            return count
        }
    }

    package func hasUnread() -> Bool { chunks.withLock { !$0.isEmpty } }

    package func stop() { chunks.withLock { $0 = [] } }
}
