import Foundation
import TidemarkModel
import TidemarkJSON

/// The file of a recording that is being written: whole lines, with their total size.
///
/// Use it on one queue.
final class RecordingFile {
    let path: String
    private var descriptor: Int32
    private(set) var byteCount: Int64 = 0
    /// True once the last line of the recording was appended.
    var hasEnd = false

    /// The bytes of the database in one line: 48 KiB, which are 64 KiB in base64.
    private static let partByteCount = 48 << 10

    /// Creates the file with mode 0600, which an empty file gets too. Refuses any other file that exists.
    ///
    /// - Throws: ``RecordingError`` `inputOutput`.
    init(_ path: String) throws(RecordingError) {
        self.path = path
        if RecordingWriter.isTaken(path) { throw RecordingWriter.refusal(path) }
        descriptor = open(path, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0, fchmod(descriptor, 0o600) == 0 else {
            throw RecordingFile.failure("cannot create \(path)")
        }
    }

    deinit {
        if descriptor >= 0 { close(descriptor) }
    }

    /// Writes the first line and the database.
    func begin(_ setup: RecordingSetup, base: [UInt8]) throws(RecordingError) {
        try append(setup.line)
        try append(base: base)
    }

    private func append(base: [UInt8]) throws(RecordingError) {
        var start = 0
        while start < base.count {
            let end = min(start + RecordingFile.partByteCount, base.count)
            var line = JSONLine()
            line.object { line in
                line.member("base", Optional(ByteString(Data(base[start..<end]).base64EncodedString())))
            }
            try append(line.bytes)
            start = end
        }
    }

    /// Appends a line.
    ///
    /// - Parameter line: The line without its line end.
    /// - Throws: ``RecordingError``. The part of the line that was written is then removed, if the system permits it.
    func append(_ line: [UInt8]) throws(RecordingError) {
        try write(line + [0x0A])
    }

    /// Appends whole lines with their line ends.
    func write(_ bytes: [UInt8]) throws(RecordingError) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes { all in
                systemWrite(descriptor, all.baseAddress.map { $0 + start }, all.count - start)
            }
            if count > 0 {
                start += count
                continue
            }
            if count < 0, errno == EINTR { continue }
            let failure = RecordingFile.failure("cannot write \(path)")
            _ = ftruncate(descriptor, off_t(byteCount))
            _ = lseek(descriptor, off_t(byteCount), SEEK_SET)
            throw failure
        }
        byteCount += Int64(bytes.count)
    }

    /// Renames another recording file to this one's path, and continues with it: later lines are appended to the other
    /// file.
    func replace(with other: RecordingFile) throws(RecordingError) {
        guard fsync(other.descriptor) == 0, rename(other.path, path) == 0 else {
            throw RecordingFile.failure("cannot replace \(path)")
        }
        close(descriptor)
        descriptor = other.descriptor
        other.descriptor = -1
        byteCount = other.byteCount
    }

    /// Copies the bytes from an offset to the end into another file.
    func copy(from offset: Int64, to other: RecordingFile) throws(RecordingError) {
        var place = offset
        var chunk = [UInt8](repeating: 0, count: 1 << 20)
        while place < byteCount {
            let count = pread(descriptor, &chunk, chunk.count, off_t(place))
            guard count > 0 else { throw RecordingFile.failure("cannot read \(path)") }
            try other.write(Array(chunk[..<count]))
            place += Int64(count)
        }
    }

    /// Returns another descriptor of the file, for a reader.
    ///
    /// - Throws: ``RecordingError`` when the file is closed, or the system has no descriptor left.
    func duplicate() throws(RecordingError) -> Int32 {
        let copy = descriptor < 0 ? -1 : fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
        guard copy >= 0 else { throw RecordingError(.inputOutput, "the recording cannot be read: it has ended") }
        return copy
    }

    /// Makes the written bytes durable, and closes the file. Does nothing the second time.
    func finish() {
        guard descriptor >= 0 else { return }
        fsync(descriptor)
        close(descriptor)
        descriptor = -1
    }

    private static func failure(_ message: String) -> RecordingError {
        RecordingError(.inputOutput, "\(message): \(String(cString: strerror(errno)))")
    }
}

/// Calls the system's `write`, which the method of that name hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
