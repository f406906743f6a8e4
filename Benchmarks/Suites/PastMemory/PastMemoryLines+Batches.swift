import Foundation

/// Lines in batches, for stores that are fed by the walk of the C++ reference.
extension PastMemoryLines {
    /// Calls a function with each batch of a file of lines.
    ///
    /// - Parameters:
    ///   - fed: Called after each full batch with the number of bytes so far.
    ///   - body: Called with the bytes of a batch, which 64 bytes of padding follow, and with their number without the
    ///     padding.
    /// - Throws: An error of the file system, and those of `body`.
    static func forEachBatch(
        of path: String, fed: (Int64) -> Void, _ body: ([UInt8], Int) throws -> Void
    ) throws {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer {
            do { try file.close() } catch { print("not closed: \(error)") }
        }
        var fedCount: Int64 = 0
        var bytes: [UInt8] = []
        // A parser may read up to 64 bytes past the last line.
        let padding = [UInt8](repeating: 0, count: 64)
        while let chunk = try file.read(upToCount: 1 << 20), !chunk.isEmpty {
            bytes += chunk
            while let end = end(ofLines: PastMemorySizes.batchLineCount, in: bytes) {
                try body(Array(bytes[..<end]) + padding, end)
                bytes.removeSubrange(..<end)
                fedCount += Int64(end)
                fed(fedCount)
            }
        }
        if !bytes.isEmpty { try body(bytes + padding, bytes.count) }
    }

    /// Returns the offset after the given number of lines; nil if there are fewer.
    private static func end(ofLines count: Int, in bytes: [UInt8]) -> Int? {
        guard bytes.count > count * 100 else { return nil }
        var left = count
        return bytes.withUnsafeBytes { bytes in
            var start = 0
            while start < bytes.count, let base = bytes.baseAddress,
                let found = memchr(base + start, Int32(UInt8(ascii: "\n")), bytes.count - start)
            {
                start = UnsafeRawPointer(found) - base + 1
                left -= 1
                if left == 0 { return start }
            }
            return nil
        }
    }
}
