import Foundation
import Synchronization

/// A child process whose input and output are pipes that this process writes and reads directly.
final class PipedProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private let isReading = Mutex(false)
    private let done = DispatchSemaphore(value: 0)

    /// Starts an executable.
    init(_ executable: String, _ arguments: [String] = []) throws {
        signal(SIGPIPE, SIG_IGN)
        process.executableURL = URL(fileURLWithPath: executable)
        process.arguments = arguments
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    /// The process id.
    var identifier: Int32 { process.processIdentifier }

    /// Writes all bytes; blocks while the child does not read.
    func write(_ bytes: UnsafeRawBufferPointer) {
        var start = 0
        while start < bytes.count {
            let count = systemWrite(
                input.fileHandleForWriting.fileDescriptor, bytes.baseAddress.map { $0 + start }, bytes.count - start)
            precondition(count > 0, "\(process.executableURL?.path ?? "the child") reads no more")
            start += count
        }
    }

    /// Writes all bytes; blocks while the child does not read.
    func write(_ bytes: [UInt8]) { bytes.withUnsafeBytes { write($0) } }

    /// Reads lines on a thread of its own until the child ends.
    ///
    /// - Parameter body: Called with each line without its LF, and with the moment when its last byte was read.
    func read(_ body: @escaping @Sendable (ArraySlice<UInt8>, Int64) -> Void) {
        isReading.withLock { $0 = true }
        let handle = output.fileHandleForReading
        Thread.detachNewThread { [done] in
            var buffer = [UInt8](repeating: 0, count: 1 << 20)
            var filled = 0
            while true {
                if filled == buffer.count { buffer += [UInt8](repeating: 0, count: filled) }
                let count = buffer.withUnsafeMutableBytes { bytes in
                    systemRead(handle.fileDescriptor, bytes.baseAddress.map { $0 + filled }, bytes.count - filled)
                }
                if count <= 0 { break }
                let moment = Moment.now()
                var start = 0
                for end in filled..<filled + count where buffer[end] == UInt8(ascii: "\n") {
                    body(buffer[start..<end], moment)
                    start = end + 1
                }
                filled += count - start
                // The rest is at most one incomplete line.
                if start > 0, filled > 0 {
                    buffer.withUnsafeMutableBytes { $0.copyMemory(from: .init(rebasing: $0[start..<start + filled])) }
                }
            }
            done.signal()
        }
    }

    /// Kills the child, and waits for its end.
    func kill() {
        _ = systemKill(process.processIdentifier, SIGKILL)
        done.wait()
        process.waitUntilExit()
    }

    /// Ends the input, and waits for the end of the output and of the child, which must succeed.
    func finish() {
        let status = end()
        precondition(status == 0, "the child ended with \(status)")
    }

    /// Ends the input, and waits for the end of the output and of the child.
    ///
    /// - Returns: The child's status.
    func end() -> Int32 {
        input.fileHandleForWriting.closeFile()
        if !isReading.withLock({ $0 }) { read { _, _ in } }
        done.wait()
        process.waitUntilExit()
        return process.terminationStatus
    }
}

/// Calls the system's `kill`, which the method of that name hides.
private func systemKill(_ process: Int32, _ signal: Int32) -> Int32 { kill(process, signal) }

/// Calls the system's `write`, which the method of that name hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// Calls the system's `read`, which the method of that name hides.
private func systemRead(_ descriptor: Int32, _ bytes: UnsafeMutableRawPointer?, _ count: Int) -> Int {
    read(descriptor, bytes, count)
}
