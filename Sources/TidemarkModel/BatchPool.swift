import Synchronization

/// A pool of buffers that batches return and readers use again: memory that was used before costs a third of fresh
/// pages.
package final class BatchPool: Sendable {
    package let blocks = BufferPool<UInt8>()
    package let lines = BufferPool<EventBatch.LineSpan>()

    package init() {}

    /// Frees the buffers that are not in use.
    package func removeAll() {
        blocks.removeAll()
        lines.removeAll()
    }
}

/// A pool of arrays of one kind; their contents have no meaning.
///
/// Holds at most ``bufferCountMax`` arrays of at most ``byteCountMax`` bytes each; further ones are freed.
package final class BufferPool<Element: Sendable>: Sendable {
    /// The limit of pooled arrays: one being read, one waiting, one being applied, one spare.
    private let bufferCountMax = 4
    /// The limit of an array: a block that one long line made larger is not worth keeping.
    private let byteCountMax = 2 << 20

    private let buffers = Mutex<[[Element]]>([])

    package init() {}

    /// Returns a pooled array with its old contents, or an empty array when there is none.
    package func take() -> [Element] {
        buffers.withLock { $0.popLast() } ?? []
    }

    package func give(_ buffer: [Element]) {
        guard buffer.capacity * MemoryLayout<Element>.stride <= byteCountMax else { return }
        buffers.withLock { buffers in
            if buffers.count < bufferCountMax { buffers.append(buffer) }
        }
    }

    package func removeAll() {
        buffers.withLock { $0.removeAll() }
    }
}
