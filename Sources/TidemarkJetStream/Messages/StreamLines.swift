import TidemarkModel

/// The lines that a reader of a stream has made and that were not read from it yet, in order: those of messages, and
/// what the reader tells the cache itself.
///
/// A part of them is read at a time, all of one origin. Bounded by ``StreamReader/lineByteCountMax`` and one message.
struct StreamLines {
    /// The bytes of lines of one origin that follow each other.
    private struct Run {
        var origin: LineOrigin
        var end: Int
    }

    private(set) var bytes: [UInt8] = []
    /// The runs that were not read to their ends.
    private var runs: ArraySlice<Run> = []
    private var offset = 0

    /// The number of bytes that were not read yet.
    var count: Int { bytes.count - offset }
    var isEmpty: Bool { count == 0 }

    /// The origin of the next bytes; nil when there are none.
    var nextOrigin: LineOrigin? { runs.first?.origin }

    /// Appends whole lines.
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

    /// Moves the next bytes of one origin into a buffer.
    ///
    /// - Returns: Their number; 0 when there are none.
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

    /// Removes everything; the memory stays.
    mutating func removeAll() {
        bytes.removeAll(keepingCapacity: true)
        runs = []
        offset = 0
    }
}
