import Dispatch
import Foundation
import Synchronization
import TidemarkJSON

/// A copy of a recording that continues: its lines up to one moment and a last line, in the form of a complete file.
///
/// If the file is shortened meanwhile, the copy still has the lines of its moment.
package final class RecordingCopy: Sendable {
    private let descriptor: Int32
    private let byteCount: Int64
    private let lastLine: [UInt8]
    private let queue = DispatchQueue(label: "tidemark.recording.copy")

    /// How far the copy was read.
    private struct Position {
        var offset: Int64 = 0
        /// True once the last line was returned.
        var isOver = false
    }
    private let position = Mutex(Position())

    /// The size of one part: 256 KiB.
    private static let partByteCount = 256 << 10

    /// Creates a copy.
    ///
    /// - Parameters:
    ///   - descriptor: The open file. The copy closes it.
    ///   - byteCount: The size of the whole lines to copy.
    ///   - lastLine: The line that ends the copy, with its LF; empty when the recording has already ended.
    init(descriptor: Int32, byteCount: Int64, lastLine: [UInt8]) {
        self.descriptor = descriptor
        self.byteCount = byteCount
        self.lastLine = lastLine
    }

    deinit { close(descriptor) }

    /// Returns the next part, up to 256 KiB; nil at the end.
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
