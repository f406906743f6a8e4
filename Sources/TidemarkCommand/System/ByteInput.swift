#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A descriptor that is read until its end or until somebody says stop, from any task.
///
/// A plain `read(2)` cannot be called off without closing the descriptor under it, so reading waits for two things at
/// once: input, and a byte in a pipe of its own that ``stop()`` writes.
final class ByteInput: Sendable {
    /// What a read gave.
    enum Piece: Hashable {
        case bytes(count: Int)
        /// Nothing came within the time given.
        case nothingYet
        case end
        case stopped
    }

    private let descriptor: Int32
    private let stopReader: Int32
    private let stopWriter: Int32

    /// - Throws: ``Failure`` with ``ExitStatus/inputOutput`` when the process is out of descriptors.
    init(descriptor: Int32 = STDIN_FILENO) throws(Failure) {
        self.descriptor = descriptor
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw ByteInput.failure("no pipe can be made", SystemError.last) }
        stopReader = ends[0]
        stopWriter = ends[1]
        _ = fcntl(stopReader, F_SETFD, FD_CLOEXEC)
        _ = fcntl(stopWriter, F_SETFD, FD_CLOEXEC)
    }

    deinit {
        close(stopReader)
        close(stopWriter)
    }

    var isTerminal: Bool { Terminal.isTerminal(descriptor) }

    /// Waits for input and reads it; blocks the calling thread.
    ///
    /// - Parameters:
    ///   - buffer: At least one byte.
    ///   - waitMilliseconds: How long to wait for input; 0 asks whether some is there, -1 waits for ever.
    /// - Throws: ``Failure`` with ``ExitStatus/inputOutput``.
    func read(into buffer: UnsafeMutableRawBufferPointer, waitMilliseconds: Int32 = -1) throws(Failure) -> Piece {
        while true {
            var entries = [
                pollfd(fd: stopReader, events: Int16(POLLIN), revents: 0),
                pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0),
            ]
            let readyCount = poll(&entries, 2, waitMilliseconds)
            if readyCount < 0 {
                let error = SystemError.last
                if error.isInterrupted { continue }
                throw ByteInput.failure("waiting for input failed", error)
            }
            if readyCount == 0 { return .nothingYet }
            if entries[0].revents != 0 { return .stopped }
            let count = systemRead(descriptor, buffer.baseAddress, buffer.count)
            if count > 0 { return .bytes(count: count) }
            if count == 0 { return .end }
            let error = SystemError.last
            if error.isInterrupted || error.isWouldBlock { continue }
            throw ByteInput.failure("reading the input failed", error)
        }
    }

    /// Makes this and every later read give ``Piece/stopped``. May be called more than once.
    func stop() {
        var byte: UInt8 = 0
        _ = write(stopWriter, &byte, 1)
    }

    private static func failure(_ what: String, _ error: SystemError) -> Failure {
        Failure(
            .inputOutput, "input_output", what, place: "standard input: \(error.text)",
            outcome: "lines read before it count", advice: "feed the stream again; what was applied is recognized")
    }
}

/// `read(2)` under a name that the method above does not hide.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
