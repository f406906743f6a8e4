import Foundation
import Synchronization
import TidemarkTestKit

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// A pipe whose reading end belongs to a test: nothing is read before the test asks for it.
final class PipeLines: Sendable {
    let readEnd: Int32
    let writeEnd: Int32
    private let isReading = Atomic(false)
    private let writer = DispatchQueue(label: "pipe")

    init() {
        signal(SIGPIPE, SIG_IGN)
        var ends: [Int32] = [-1, -1]
        precondition(pipe(&ends) == 0, "no descriptor for a pipe")
        readEnd = ends[0]
        writeEnd = ends[1]
    }

    /// Begins to read on a thread of its own.
    ///
    /// - Returns: The lines without their LF; they end when the writing end is closed.
    func lines() -> AsyncStream<String> {
        precondition(!isReading.exchange(true, ordering: .relaxed), "a pipe is read once")
        let (stream, continuation) = AsyncStream.makeStream(of: String.self)
        Thread.detachNewThread { [self] in
            var line: [UInt8] = []
            var buffer = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                let count = read(readEnd, &buffer, buffer.count)
                if count <= 0 { break }
                for byte in buffer[..<count] {
                    if byte == 0x0A {
                        continuation.yield(String(decoding: line, as: UTF8.self))
                        line = []
                    } else {
                        line.append(byte)
                    }
                }
            }
            continuation.finish()
        }
        return stream
    }

    /// Writes in the order of the calls, on a queue of its own: a task that waited for the reader would block the
    /// thread that the reader needs.
    func write(_ text: String) {
        writer.async { [writeEnd] in
            var rest = Array(text.utf8)[...]
            while !rest.isEmpty {
                let count = rest.withUnsafeBytes { systemWrite(writeEnd, $0.baseAddress, $0.count) }
                if count <= 0 { return }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Closes the writing end after everything that is being written.
    func closeWriting() { writer.async { [writeEnd] in _ = close(writeEnd) } }

    func closeReading() { close(readEnd) }
}

/// Calls the system's `write`, which the method of that name hides.
private func systemWrite(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
    write(descriptor, bytes, count)
}

/// Checks a condition after every turn of other tasks; false when it does not become true in time.
func eventually(_ condition: () async -> Bool) async -> Bool {
    let deadline = TestPatience.deadline
    while .now < deadline {
        if await condition() { return true }
        await Task.yield()
    }
    return false
}
