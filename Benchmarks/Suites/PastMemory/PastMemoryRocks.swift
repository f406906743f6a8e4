import CReference
import Foundation

/// RocksDB by itself, as the reference of the suite.
final class PastMemoryRocks: PastMemoryStore {
    let folder: String
    private var rocks: OpaquePointer?

    /// Opens RocksDB in a folder.
    ///
    /// - Throws: ``BenchmarkError`` if RocksDB is missing or cannot open the folder.
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
        try PastMemoryLines.forEachBatch(of: path, fed: fed) { bytes, byteCount in
            _ = reference_rocks_feed(rocks, bytes, byteCount, UInt64(PastMemorySizes.batchLineCount))
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
