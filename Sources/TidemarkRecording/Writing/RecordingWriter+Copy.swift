import Synchronization
import TidemarkModel

extension RecordingWriter {
    /// Returns a copy of the recording with everything that was recorded before this call.
    ///
    /// The engine does not wait for it, and the recording continues.
    ///
    /// - Throws: ``RecordingError`` `inputOutput` when the recording is already closed.
    /// - Complexity: O(1); reading the copy is O(bytes).
    package func copy() async throws(RecordingError) -> RecordingCopy {
        await written()
        return try file.withLock { (file) throws(RecordingError) in
            let descriptor = try file.duplicate()
            let last = file.hasEnd ? [] : RecordingWriter.endLine("a copy was saved; the recording went on") + [0x0A]
            return RecordingCopy(descriptor: descriptor, byteCount: file.byteCount, lastLine: last)
        }
    }
}
