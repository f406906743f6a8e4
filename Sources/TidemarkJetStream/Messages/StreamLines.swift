import TidemarkModel

/// Event lines that a stream reader has produced and the engine has not read yet, in order: messages, and the reader's
/// own announcements to the cache.
///
/// Each read returns lines of one origin. Bounded by ``StreamReader/lineByteCountMax`` and one message.
struct StreamLines {
    /// Consecutive lines of one origin.
    private struct Run {
        var origin: LineOrigin
        var end: Int
    }

    private(set) var bytes: [UInt8] = []
    /// The runs that have unread bytes, in order.
    private var runs: ArraySlice<Run> = []
    private var offset = 0

    /// The number of unread bytes.
    var count: Int { bytes.count - offset }
    var isEmpty: Bool { count == 0 }

    /// The origin of the next unread byte; nil when there is none.
    var nextOrigin: LineOrigin? { runs.first?.origin }

    /// Appends the whole lines that a closure writes.
    mutating func append(_ origin: LineOrigin, _ write: (inout [UInt8]) -> Void) {
        let start = bytes.count
        write(&bytes)
        guard bytes.count > start else { return }
        if let last = runs.indices.last, runs[last].origin == origin {
            runs[last].end = bytes.count
        } else {
            runs.append(Run(origin: origin, end: bytes.count))
        }
    }

    /// Copies the next bytes of one origin into a buffer, and removes them.
    ///
    /// - Returns: The number of bytes copied; 0 when there are none.
    mutating func read(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        guard let run = runs.first else { return 0 }
        let count = min(buffer.count, run.end - offset)
        bytes.withUnsafeBytes { lines in
            buffer.copyMemory(from: UnsafeRawBufferPointer(rebasing: lines[offset..<offset + count]))
        }
        offset += count
        if offset == run.end { runs.removeFirst() }
        if isEmpty { removeAll() }
        return count
    }

    /// Removes everything, and keeps the memory for new lines.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        runs = []
        offset = 0
    }
}
