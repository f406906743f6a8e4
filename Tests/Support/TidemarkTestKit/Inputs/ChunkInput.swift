import Synchronization
import Tidemark
import TidemarkTesting

/// An input that gives prepared bytes, one chunk per read, and then ends.
package final class ChunkInput: LineInput {
    private let chunks: Mutex<ArraySlice<[UInt8]>>

    /// Creates an input; empty chunks are left out.
    package init(_ chunks: [[UInt8]]) {
        self.chunks = Mutex(chunks.filter { !$0.isEmpty }[...])
    }

    /// Creates an input from a stream, cut at random into chunks of random sizes.
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

    /// Returns at once, because all bytes are available.
    package func waitForBytes() {}

    /// Copies the next chunk, or as much of it as fits; returns 0 at the end.
    package func read(into buffer: UnsafeMutableRawBufferPointer) throws(InputError) -> Int {
        chunks.withLock { chunks in
            guard let chunk = chunks.popFirst() else { return 0 }
            let count = min(chunk.count, buffer.count)
            buffer.copyBytes(from: chunk[..<count])
            if count < chunk.count { chunks = ([Array(chunk[count...])] + chunks)[...] }
            return count
        }
    }

    /// Returns true if bytes are left.
    package func hasUnread() -> Bool { chunks.withLock { !$0.isEmpty } }

    /// Drops the remaining bytes.
    package func stop() { chunks.withLock { $0 = [] } }
}
