import Dispatch
import Foundation
import Synchronization
import TidemarkWire

/// A copy of a recording that goes on: its lines up to one moment and a last line, as a file that a replay takes.
///
/// The file that it reads may be shortened meanwhile: the copy then still has the lines of its moment.
package final class RecordingCopy: Sendable {
    private let descriptor: Int32
    private let byteCount: Int64
    private let lastLine: [UInt8]
    private let queue = DispatchQueue(label: "tidemark.recording.copy")

    private struct Position {
        var offset: Int64 = 0
        /// Whether the last line was given out.
        var isOver = false
    }
    private let position = Mutex(Position())

    /// The bytes of one part: 256 KiB.
    private static let partByteCount = 256 << 10

    /// - Parameters:
    ///   - descriptor: The open file; the copy closes it.
    ///   - byteCount: The bytes of whole lines.
    ///   - lastLine: The line that ends the copy, with its LF; empty when the recording has ended itself.
    init(descriptor: Int32, byteCount: Int64, lastLine: [UInt8]) {
        self.descriptor = descriptor
        self.byteCount = byteCount
        self.lastLine = lastLine
    }

    deinit { close(descriptor) }

    /// Returns the next bytes; nil at the end.
    ///
    /// - Throws: ``RecordingError`` `inputOutput` when the file cannot be read.
    package func next() async throws(RecordingError) -> [UInt8]? {
        let part: Result<[UInt8]?, RecordingError> = await withCheckedContinuation { continuation in
            queue.async { [self] in continuation.resume(returning: position.withLock { read(&$0) }) }
        }
        return try part.get()
    }

    private func read(_ position: inout Position) -> Result<[UInt8]?, RecordingError> {
        guard position.offset < byteCount else {
            if position.isOver || lastLine.isEmpty { return .success(nil) }
            position.isOver = true
            return .success(lastLine)
        }
        var bytes = [UInt8](
            repeating: 0, count: Int(min(Int64(RecordingCopy.partByteCount), byteCount - position.offset)))
        let count = pread(descriptor, &bytes, bytes.count, off_t(position.offset))
        guard count > 0 else {
            return .failure(
                RecordingError(.inputOutput, "cannot read the recording: \(String(cString: strerror(errno)))"))
        }
        position.offset += Int64(count)
        return .success(Array(bytes[..<count]))
    }
}
