import Synchronization

/// Buffers that batches return and readers use again. Memory that was used before costs a third of fresh pages.
package final class BatchPool: Sendable {
    /// The buffers of input blocks.
    package let blocks = BufferPool<UInt8>()
    /// The buffers of the positions of lines.
    package let lines = BufferPool<EventBatch.LineSpan>()

    package init() {}

    /// Frees the buffers that are not in use.
    package func removeAll() {
        blocks.removeAll()
        lines.removeAll()
    }
}

/// A pool of arrays of one element type. Their contents have no meaning.
///
/// It keeps at most ``bufferCountMax`` arrays of at most ``byteCountMax`` bytes each, and frees others.
package final class BufferPool<Element: Sendable>: Sendable {
    /// How many arrays are kept: one that is being read, one that waits, one that is being applied, and a spare.
    private let bufferCountMax = 4
    /// The largest array that is kept: a block that a long line has made larger is not worth keeping.
    private let byteCountMax = 2 << 20

    private let buffers = Mutex<[[Element]]>([])

    package init() {}

    /// Removes and returns a pooled array with its old contents; an empty array when there is none.
    package func take() -> [Element] {
        buffers.withLock { $0.popLast() } ?? []
    }

    /// Returns an array to the pool.
    package func give(_ buffer: [Element]) {
        guard buffer.capacity * MemoryLayout<Element>.stride <= byteCountMax else { return }
        buffers.withLock { buffers in
            if buffers.count < bufferCountMax { buffers.append(buffer) }
        }
    }

    /// Frees the arrays that are not in use.
    package func removeAll() {
        buffers.withLock { $0.removeAll() }
    }
}
