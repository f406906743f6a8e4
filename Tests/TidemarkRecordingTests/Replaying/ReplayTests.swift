import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkRecording
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// A replay has the same results as its recording: entities with their sequences and ages, lists, layers, places in
/// logs, counts and quarantine.
@Suite(.pooled) struct ReplayTests {
    /// Replays a recording.
    ///
    /// - Returns: The content of the database after it, and the replayer with the first step that had another outcome.
    private func replay(_ walk: RecordedWalk) async throws -> (RecordedWalk.Contents, Replayer?) {
        let path = walk.folder.path("replay.db")
        let reader = try RecordingReader(walk.recording)
        if !reader.base.isEmpty { try walk.folder.write(reader.base, to: "replay.db") }
        let replayer = try await Replayer(
            reader.setup, policy: CachePolicy(), journal: try await SQLiteJournal.open(path: path))
        while let entry = try reader.next() { try await replayer.apply(entry) }
        try await replayer.close()
        return (try RecordedWalk.Contents(path), replayer)
    }

    @Test(arguments: TestScale.seeds(24))
    func `replaying a recorded walk ends in the same database`(seed: UInt64) async throws {
        var walk = try RecordedWalk(seed: seed)
        try await walk.run(seed: seed)
        let (found, replayer) = try await replay(walk)
        tell(replayer, seed)
        compare(found, try RecordedWalk.Contents(walk.database), "seed \(seed)")
        #expect(try SQLiteReader(path: walk.folder.path("replay.db")).verify().problems == [])
    }

    @Test func `a recording whose older half became a database ends in the same database`() async throws {
        var compared = 0
        // Some recordings end early: they met no long quiet period, or their state is too large for a base. How many
        // do depends on the machine, so more walks follow until enough were compared.
        let wanted = 2 * max(1, TestScale.seeds.number ?? 1)
        for first in stride(from: UInt64(100), to: 100 + 60 * UInt64(wanted), by: 6) where compared < wanted {
            compared += try await withThrowingTaskGroup { group in
                for seed in first..<first + 6 { group.addTask { try await compareShortened(seed: seed) } }
                return try await group.reduce(into: 0) { $0 += $1 ? 1 : 0 }
            }
        }
        #expect(compared >= wanted, "\(compared) of \(60 * wanted) recordings have their whole walk")
    }

    /// - Returns: False when the recording ended before its walk, so that there is nothing to compare.
    private func compareShortened(seed: UInt64) async throws -> Bool {
        var walk = try RecordedWalk(seed: seed)
        try await walk.run(seed: seed, limit: 1 << 20, lineCount: 3_000)
        let reader = try RecordingReader(walk.recording)
        let size = try FileManager.default.attributesOfItem(atPath: walk.recording)[.size] as? Int ?? 0
        #expect(size <= 1 << 20)
        let (found, replayer) = try await replay(walk)
        tell(replayer, seed)
        while try reader.next() != nil {}
        guard reader.endReason == "the walk ended" else { return false }
        if reader.setup.droppedCount > 0 { #expect(reader.setup.base == .included) }
        var (left, right) = (found, try RecordedWalk.Contents(walk.database))
        // The database at its beginning does not know the numbers of queries and edits that ended earlier.
        left.forgetNumbers()
        right.forgetNumbers()
        compare(left, right, "seed \(seed)")
        return true
    }

    private func tell(_ replayer: Replayer?, _ seed: UInt64) {
        guard let divergence = replayer?.divergence else { return }
        Issue.record(
            """
            seed \(seed): step \(divergence.number), \(divergence.step), line \(divergence.line):
            \(String(decoding: divergence.recorded, as: UTF8.self))
            \(String(decoding: divergence.replayed, as: UTF8.self))
            """)
    }

    private func compare(_ found: RecordedWalk.Contents, _ wanted: RecordedWalk.Contents, _ name: String) {
        func lines(_ contents: RecordedWalk.Contents) -> Set<String> {
            Set(
                contents.entities.map {
                    "\($0.key.library)/\($0.key.text) \(String(decoding: $0.payload, as: UTF8.self)) \($0.sequence.debugDescription) \($0.writtenAt)"
                })
        }
        let (more, less) = (lines(found).subtracting(lines(wanted)), lines(wanted).subtracting(lines(found)))
        if !more.isEmpty || !less.isEmpty {
            Issue.record("\(name): too many \(more.sorted()), missing \(less.sorted())")
        }
        for (left, right) in zip(found.queries, wanted.queries) where left != right {
            Issue.record("\(name): \(left), \(left.keys.map(\.text)) is not \(right), \(right.keys.map(\.text))")
        }
        #expect(found.queries.count == wanted.queries.count, "\(name)")
        #expect(found.layers == wanted.layers, "\(name)")
        for (left, right) in zip(found.libraries, wanted.libraries) where left != right {
            Issue.record("\(name): \(left) is not \(right)")
        }
        #expect(found.counts == wanted.counts, "\(name)")
        #expect(found.kinds == wanted.kinds, "\(name)")
        #expect(found.quarantine == wanted.quarantine, "\(name)")
    }
}
