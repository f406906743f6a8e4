import TidemarkModel
import TidemarkStore
import TidemarkWire

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Reads the lines of a file, and decodes them block by block.
///
/// Use it from one task at a time. Holds at most one chunk and one line in memory.
final class LineFile {
    private let path: String
    private let descriptor: Int32
    private var framer: LineFramer
    private let decoder: EventDecoder
    private var blocks: ArraySlice<LineBlock> = []
    private var isFinished = false
    /// True if the last byte read is an LF.
    private(set) var endsWithLineEnd = true
    private(set) var byteCount: Int64 = 0

    private static let chunkByteCount = 256 << 10

    /// Opens a file.
    ///
    /// - Throws: ``RecordingError`` `notFound` or `inputOutput`.
    init(_ path: String, limits: Limits) throws(RecordingError) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            let number = errno
            throw RecordingError(
                number == ENOENT || number == ENOTDIR ? .notFound : .inputOutput,
                "cannot read \(path): \(String(cString: strerror(number)))")
        }
        self.path = path
        self.descriptor = descriptor
        framer = LineFramer(limits: limits)
        do throws(WireError) {
            decoder = try EventDecoder(limits: limits)
        } catch {
            close(descriptor)
            throw RecordingError(.inputOutput, "no memory to read \(path)")
        }
    }

    deinit {
        close(descriptor)
    }

    /// Returns the next lines; nil at the end.
    func next() throws(RecordingError) -> EventBatch? {
        while blocks.isEmpty {
            blocks = []
            if isFinished { return nil }
            let count = try framer.read(byteCountMax: LineFile.chunkByteCount) {
                (space) throws(RecordingError) -> Int in
                try read(into: space)
            }
            byteCount += Int64(count)
            if count == 0 {
                framer.finish()
                isFinished = true
            }
            blocks = framer.takeBlocks()[...]
        }
        guard let block = blocks.popFirst() else { return nil }
        do throws(WireError) {
            return try decoder.decode(block)
        } catch {
            throw RecordingError(.inputOutput, "no memory to read \(path)")
        }
    }

    private func read(into space: UnsafeMutableRawBufferPointer) throws(RecordingError) -> Int {
        while true {
            let count = systemRead(descriptor, space.baseAddress, space.count)
            if count > 0 { endsWithLineEnd = space[count - 1] == UInt8(ascii: "\n") }
            if count >= 0 { return count }
            guard errno == EINTR else {
                throw RecordingError(.inputOutput, "cannot read \(path): \(String(cString: strerror(errno)))")
            }
        }
    }
}

/// Calls the system's `read`, which the method of that name hides.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}

extension EventBatch {
    /// Returns the bytes of a line; of a line that was too long, the part that was kept.
    func text(of line: Int) -> ArraySlice<UInt8> {
        let span = lines[line]
        return block[Int(span.offset)..<Int(span.offset) + Int(span.count)]
    }
}
