import Synchronization

/// Buffers that batches give back and readers use again: memory that was touched before costs a third of fresh pages.
package final class BatchPool: Sendable {
    package let blocks = BufferPool<UInt8>()
    package let lines = BufferPool<EventBatch.LineSpan>()

    package init() {}

    /// Frees what nobody uses.
    package func removeAll() {
        blocks.removeAll()
        lines.removeAll()
    }
}

/// Arrays of one kind to use again; their contents mean nothing.
///
/// Holds at most ``bufferCountMax`` arrays of at most ``byteCountMax`` bytes each; what is beyond that is freed.
package final class BufferPool<Element: Sendable>: Sendable {
    /// One being read, one waiting, one being applied, one to spare.
    private let bufferCountMax = 4
    /// A block that one long line made larger is not worth keeping.
    private let byteCountMax = 2 << 20

    private let buffers = Mutex<[[Element]]>([])

    package init() {}

    /// An array that was given back, as it was; an empty one when there is none.
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
