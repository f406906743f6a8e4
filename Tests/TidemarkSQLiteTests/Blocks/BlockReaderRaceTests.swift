import Dispatch
import Synchronization
import TestTraits
import Testing
import TidemarkFaultDisk
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

/// Readers on other threads while blocks are written, merged and deleted.
///
/// ```
/// writer                      reader
///                             finds the place of a key: block 7
/// COMMIT: block 7 is merged
///                             reads block 7: it is gone
///                             waits for the publication
/// the index says block 12
///                             finds block 12
/// ```
@Suite(.pooled, .tags(.race)) struct BlockReaderRaceTests {
    /// Sendable by hand-over: only the first thread of a race writes.
    private struct Writer: @unchecked Sendable {
        let file: BlockStoreFile
    }

    @Test func `readers find every entity, in a version that was written, while blocks are merged`() throws {
        let folder = try TemporaryFolder()
        let disk = try FaultDisk(folder: folder.path)
        defer { withExtendedLifetime(disk) {} }
        let file = try BlockStoreFile(folder.file(), readsAhead: true)
        let keyCount = 300
        @Sendable func flush(_ version: Int, _ random: inout SeededGenerator) -> FlushBatch {
            var flush = FlushBatch()
            var seen: Set<Int> = []
            for _ in 0..<(version == 0 ? 2_000 : 150) {
                let number = version == 0 ? seen.count : random.below(keyCount)
                guard number < keyCount, seen.insert(number).inserted else { continue }
                let key = BlockStoreModel.key(number)
                let idOffset = flush.bytes.count
                key.id.withBytes { flush.bytes.append(contentsOf: $0) }
                let payload = Array("\(number) \(version)".utf8)
                flush.rows.append(
                    FlushRow(
                        row: Int64(number + 1), change: .update, library: key.library, type: key.type,
                        isUUID: key.id.isUUID, idOffset: idOffset, idCount: key.id.byteCount,
                        payloadOffset: flush.bytes.count, payloadCount: payload.count, sequence: nil, generation: 0,
                        writtenAt: 0))
                flush.bytes += payload
            }
            return flush
        }
        var random = SeededGenerator(seed: 1)
        try file.write(flush(0, &random))
        let isDone = Atomic(false)
        let problems = Mutex<[String]>([])
        let readCount = Atomic(0)
        let index = file.store.index
        let path = folder.file()
        let writer = Writer(file: file)
        DispatchQueue.concurrentPerform(iterations: 3) { thread in
            do {
                guard thread > 0 else {
                    defer { isDone.store(true, ordering: .releasing) }
                    var random = SeededGenerator(seed: 2)
                    for version in 1...120 { try writer.file.write(flush(version, &random)) }
                    return
                }
                let connection = try BlockConnection(path: path)
                let reader = try BlockReader(connection.handle, index) { _ in nil }
                var random = SeededGenerator(seed: UInt64(10 + thread))
                var versions = Array(repeating: 0, count: keyCount)
                var ownCount = 0
                // A busy machine may give a reader its thread when the writer is done: then it reads a while alone.
                while ownCount < 200 || !isDone.load(ordering: .acquiring) {
                    ownCount += 1
                    let number = random.below(keyCount)
                    guard let entity = try reader.entity(BlockStoreModel.key(number)) else {
                        problems.withLock { $0.append("\(number) is missing") }
                        return
                    }
                    let text = String(decoding: entity.payload, as: UTF8.self)
                    let words = text.split(separator: " ").compactMap { Int($0) }
                    // No reader sees an older version after a newer one.
                    if words.count != 2 || words[0] != number || words[1] < versions[number] {
                        problems.withLock { $0.append("\(number): \(words) after \(versions[number])") }
                    } else {
                        versions[number] = words[1]
                    }
                    readCount.add(1, ordering: .relaxed)
                }
            } catch {
                problems.withLock { $0.append("\(error)") }
                isDone.store(true, ordering: .releasing)
            }
        }
        let found = problems.withLock { $0 }
        #expect(found == [])
        #expect(readCount.load(ordering: .relaxed) > 100)
        let blockCount = try file.blockCount()
        #expect(blockCount < file.store.lastNumber / 2, "\(blockCount) of \(file.store.lastNumber)")
    }
}
