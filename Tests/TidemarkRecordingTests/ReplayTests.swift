import Foundation
import Testing
import Tidemark
import TidemarkModel
import TidemarkRecording
import TidemarkSQLite
import TidemarkTesting

/// What is recorded and done again comes out the same: entities with their sequences and ages, lists, layers, places in logs, counts
/// and quarantine.
@Suite struct ReplayTests {
    /// Does a recording again.
    ///
    /// - Returns: What is in the database then, and the first step that came out otherwise.
    private func replay(_ walk: RecordedWalk) async throws -> (RecordedWalk.Contents, Replayer?) {
        let path = walk.folder.path("replay.db")
        let reader = try RecordingReader(walk.recording)
        if !reader.base.isEmpty { try walk.folder.write(reader.base, to: "replay.db") }
        let replayer = try await Replayer(
            reader.setup, policy: CachePolicy(), journal: try await SQLiteJournal.open(path: path))
        while let entry = try reader.next() { try await replayer.apply(entry) }
        #expect(reader.endReason == "the walk ended")
        try await replayer.close()
        return (try RecordedWalk.Contents(path), replayer)
    }

    @Test(arguments: 0..<24 as Range<UInt64>)
    func `a recorded walk done again ends in the same database`(seed: UInt64) async throws {
        var walk = try RecordedWalk(seed: seed)
        try await walk.run(seed: seed)
        let (found, replayer) = try await replay(walk)
        if let divergence = replayer?.divergence {
            Issue.record(
                """
                seed \(seed): step \(divergence.number), \(divergence.step), line \(divergence.line):
                \(String(decoding: divergence.recorded, as: UTF8.self))
                \(String(decoding: divergence.replayed, as: UTF8.self))
                """)
        }
        compare(found, try RecordedWalk.Contents(walk.database), "seed \(seed)")
        #expect(try SQLiteReader(path: walk.folder.path("replay.db")).verify().problems == [])
    }

    @Test(arguments: 100..<106 as Range<UInt64>)
    func `a recording that made room for what came later ends in the same database`(seed: UInt64) async throws {
        var walk = try RecordedWalk(seed: seed)
        try await walk.run(seed: seed, limit: 512 << 10, lineCount: 2_000)
        let reader = try RecordingReader(walk.recording)
        let size = try FileManager.default.attributesOfItem(atPath: walk.recording)[.size] as? Int ?? 0
        #expect(size <= 512 << 10)
        guard reader.setup.droppedCount > 0 else { return }
        #expect(reader.setup.base == .included)
        let (found, replayer) = try await replay(walk)
        #expect(replayer?.divergence == nil, "seed \(seed)")
        compare(found, try RecordedWalk.Contents(walk.database), "seed \(seed)")
    }

    private func compare(_ found: RecordedWalk.Contents, _ wanted: RecordedWalk.Contents, _ name: String) {
        #expect(found.entities == wanted.entities, "\(name)")
        #expect(found.queries == wanted.queries, "\(name)")
        #expect(found.layers == wanted.layers, "\(name)")
        #expect(found.libraries == wanted.libraries, "\(name)")
        #expect(found.counts == wanted.counts, "\(name)")
        #expect(found.kinds == wanted.kinds, "\(name)")
        #expect(found.quarantine == wanted.quarantine, "\(name)")
    }
}
