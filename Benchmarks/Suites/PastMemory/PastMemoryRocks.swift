import CReference
import Foundation

/// RocksDB by itself, as the reference of the suite.
final class PastMemoryRocks: PastMemoryStore {
    let folder: String
    private var rocks: OpaquePointer?

    /// - Throws: ``BenchmarkError`` when RocksDB is not there.
    init(folder: String) throws {
        self.folder = folder
        var problem = [UInt8](repeating: 0, count: 512)
        let rocks = problem.withUnsafeMutableBytes { problem in
            reference_rocks_open(
                folder + "/rocks", problem.baseAddress?.assumingMemoryBound(to: CChar.self), problem.count)
        }
        guard let rocks else {
            throw BenchmarkError("no RocksDB: \(String(decoding: problem.prefix { $0 != 0 }, as: UTF8.self))")
        }
        self.rocks = rocks
    }

    func feed(_ path: String, fed: (Int64) -> Void) async throws {
        let file = try FileHandle(forReadingFrom: URL(fileURLWithPath: path))
        defer {
            do { try file.close() } catch { print("not closed: \(error)") }
        }
        var fedCount: Int64 = 0
        var bytes: [UInt8] = []
        // A parser reads up to 64 bytes after the last line.
        let padding = [UInt8](repeating: 0, count: 64)
        while let chunk = try file.read(upToCount: 1 << 20), !chunk.isEmpty {
            bytes += chunk
            while let end = Self.end(ofLines: PastMemorySizes.batchLineCount, in: bytes) {
                write(bytes[..<end] + padding, byteCount: end)
                bytes.removeSubrange(..<end)
                fedCount += Int64(end)
                fed(fedCount)
            }
        }
        if !bytes.isEmpty { write(bytes + padding, byteCount: bytes.count) }
    }

    private func write(_ bytes: some Sequence<UInt8>, byteCount: Int) {
        let bytes = Array(bytes)
        _ = reference_rocks_feed(rocks, bytes, byteCount, UInt64(PastMemorySizes.batchLineCount))
    }

    /// Returns the end of the given number of lines; nil when there are fewer.
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

    func settle() async throws { reference_rocks_settle(rocks) }

    func read(_ entity: Int) async throws -> Int {
        Int(
            String(decoding: PastMemoryLines.id(of: entity), as: UTF8.self).withCString {
                reference_rocks_get(rocks, $0)
            })
    }

    func prepare(_ stage: PastMemoryStage, entityCount: Int) async throws {}

    func close() async throws {
        reference_rocks_close(rocks)
        rocks = nil
    }
}
