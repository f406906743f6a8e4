#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Writes lines to a descriptor with `write(2)`, through a buffer.
///
/// The standard library's printing buffers on a pipe and loses its buffer in a crash. Here the caller knows what was
/// written: everything before the last ``flush()``. A closed reader is not an error (`tidemark export | head`): further
/// output is dropped, and ``isClosed`` lets long commands stop. Use an output from one task at a time.
final class Output {
    let style: Style
    private let descriptor: Int32
    /// The unwritten bytes, at most ``flushByteCount`` plus one line.
    private var buffer: [UInt8] = []
    /// True once the reading end was closed.
    private(set) var isClosed = false

    private static let flushByteCount = 64 << 10

    init(descriptor: Int32) {
        self.descriptor = descriptor
        style = Style(hasColors: Terminal.hasColors(descriptor))
    }

    static func standard() -> Output { Output(descriptor: STDOUT_FILENO) }

    static func errors() -> Output { Output(descriptor: STDERR_FILENO) }

    /// Opens a file for writing, with mode 0600; an existing file is emptied.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/cannotCreate``.
    static func file(_ path: String) throws(Failure) -> Output {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else {
            throw Failure(
                .cannotCreate, "cannot_create", "the file cannot be written",
                place: "\(path): \(SystemError.last.text)",
                outcome: "nothing was done", advice: "choose a folder that exists and that you may write to")
        }
        return Output(descriptor: descriptor)
    }

    var isTerminal: Bool { Terminal.isTerminal(descriptor) }

    var columnCount: Int { Terminal.columnCount(descriptor) }

    /// Writes a text and a line end.
    ///
    /// - Throws: ``Failure`` with ``ExitStatus/inputOutput`` when writing fails.
    func writeLine(_ text: String) throws(Failure) {
        try write(text.utf8)
        try write(CollectionOfOne(UInt8(ascii: "\n")))
    }

    /// Writes bytes and a line end.
    ///
    /// - Parameter bytes: A line without its line end.
    func writeLine(_ bytes: [UInt8]) throws(Failure) {
        try write(bytes)
        try write(CollectionOfOne(UInt8(ascii: "\n")))
    }

    func write(_ bytes: some Collection<UInt8>) throws(Failure) {
        guard !isClosed else { return }
        buffer.append(contentsOf: bytes)
        if buffer.count >= Output.flushByteCount { try flush() }
    }

    /// Writes everything in the buffer.
    func flush() throws(Failure) {
        defer { buffer.removeAll(keepingCapacity: true) }
        var start = 0
        while start < buffer.count, !isClosed {
            let count = buffer.withUnsafeBytes { bytes in
                let rest = UnsafeRawBufferPointer(rebasing: bytes[start...])
                return systemWrite(descriptor, rest.baseAddress, rest.count)
            }
            if count >= 0 {
                start += count
                continue
            }
            let error = SystemError.last
            if error.isInterrupted { continue }
            if error.isWouldBlock {
                waitUntilWritable()
            } else if error.isBrokenPipe {
                isClosed = true
            } else {
                throw Failure(
                    .inputOutput, "input_output", "the output cannot be written", place: error.text,
                    outcome: "later output was not written", advice: "free space or write elsewhere, then run it again")
            }
        }
    }

    /// Waits until a full pipe has room. The other end made it non-blocking, and without waiting the loop would spin.
    private func waitUntilWritable() {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&entry, 1, -1)
    }
}

/// Calls `write(2)`, which the methods above shadow.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}
