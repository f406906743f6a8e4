import Testing
import Tidemark
import TidemarkModel
import TidemarkStore

@testable import TidemarkSQLite

extension JournalCrashPointTests {
    private func open(_ path: String) async throws -> SQLiteJournal {
        var configuration = SQLiteJournal.Configuration(path: path)
        configuration.layout = .blocks
        configuration.dictionarySampleCountMin = 80
        return try await SQLiteJournal.open(configuration)
    }

    /// The flushes of the workload, and the entities after each of them.
    private func workload() -> (keys: [StoredKey], flushes: [FlushBatch], states: [[StoredKey: [UInt8]]]) {
        var model = BlockStoreModel(seed: 8, keyCount: 120)
        var flushes: [FlushBatch] = []
        var states: [[StoredKey: [UInt8]]] = [[:]]
        for number in 0..<8 {
            flushes.append(model.flush(rowCount: 60, removalShare: 150, clears: number == 5))
            states.append(model.entities.mapValues(\.payload))
        }
        flushes[0].newLibraries = [(0, "a"), (1, "b")]
        flushes[0].newTypes = [(0, "t0"), (1, "t1"), (2, "t2")]
        for number in flushes.indices {
            let counts = states[number + 1].keys.reduce(into: [:]) { $0[$1.library, default: Int64(0)] += 1 }
            flushes[number].libraries = [(0, "a"), (1, "b")].map { index, name in
                LibraryRecord(
                    index: index, name: name, epoch: nil, generation: 0, cursor: nil, isStale: false, lost: [],
                    entityCount: counts[index] ?? 0)
            }
        }
        return (model.keys, flushes, states)
    }

    @Test func `a journal in blocks that stops anywhere has the acknowledged flushes, or one more`() async throws {
        let (keys, flushes, states) = workload()
        try await everywhere(few: 25) { _ in
        } run: { path, _, acknowledged in
            let journal = try await open(path)
            for flush in flushes {
                try await journal.commit(flush)
                acknowledged += 1
            }
            try await journal.close()
        } check: { path, acknowledged in
            let journal = try await open(path)
            #expect(await journal.openingReport == .reopened || acknowledged == 0)
            let loaded = try await journal.load(keys)
            #expect(loaded.damaged.isEmpty)
            let found = Dictionary(uniqueKeysWithValues: loaded.entities.map { ($0.key, $0.payload) })
            let isWhole = states[acknowledged...].prefix(2).contains(found)
            #expect(isWhole, "\(found.count) entities after \(acknowledged) flushes")
            let counts = try await journal.entityCounts()
            #expect(counts.reduce(0) { $0 + $1.count } == found.count)
            #expect(try await journal.rows(after: nil, countMax: keys.count).count == found.count)
            try await journal.close()
        }
    }
}
