import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// The figures of `cache.stats` about the disk.
@Suite(.pooled) struct JournalUseTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func lines(_ entities: Range<Int>, version: Int, firstSequence: Int) -> [UInt8] {
        var lines: [UInt8] = []
        for (place, entity) in entities.enumerated() {
            let text = String(repeating: "\(entity &* 7_919 &+ version)-", count: 100)
            lines +=
                #"{"sequence":\#(firstSequence + place),"event":{"ResourceChanged":{"resource_type":"file","resource":"#
                .utf8
            lines += #"{"id":"e\#(entity)","text":"\#(text)"}}}}"#.utf8
            lines.append(UInt8(ascii: "\n"))
        }
        return lines
    }

    @Test func `the bytes of entities and of the log, and entities a second, follow what was written`() async throws {
        let clock = ManualClock()
        let cache = try await SyncCache.open(path: folder.file("a.db"), clock: clock)
        try await cache.flush()
        let before = await cache.statistics()
        try await cache.ingest(lines(0..<100, version: 0, firstSequence: 1))
        try await cache.flush()
        let after = await cache.statistics()
        #expect(before.storedByteCount == 0)
        #expect(after.storedByteCount > 40_000)
        #expect(after.logByteCount - before.logByteCount > after.storedByteCount / 50)
        #expect(after.writesPerSecond == 100 / RateWindowSize.secondCount)
        #expect(after.memoryByteCountMax == CacheConfiguration().memoryByteCountMax)
        try await cache.close()
    }

    @Test func `pages that removed entities leave are free until they are used or given back`() async throws {
        let path = folder.file("b.db")
        let cache = try await SyncCache.open(path: path)
        try await cache.ingest(lines(0..<2_000, version: 0, firstSequence: 1))
        try await cache.flush()
        #expect(await cache.statistics().freeDiskByteCount < 16 << 10)
        var removal = Removal()
        removal.resourceType = "file"
        removal.ids = (0..<900).map { ByteString("e\($0)") }
        _ = try await cache.remove(removal)
        try await cache.flush()
        let free = await cache.statistics().freeDiskByteCount
        #expect(free > 32 << 10)
        try await cache.close()
        #expect(try SQLiteReader(path: path).freeByteCount() == free)
    }
}

/// The window of `writes_per_second`.
private enum RateWindowSize {
    static let secondCount: Int64 = 10
}
