import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkSQLite

/// Sorted runs of keys against a set, and their parts.
@Suite(.pooled) struct KeyRunsTests {
    private func sorted(_ keys: some Sequence<StoredKey>) -> [StoredKey] {
        keys.map { (bytes: ByteString(OrderedKey.bytes(of: $0)), key: $0) }.sorted { $0.bytes < $1.bytes }.map(\.key)
    }

    private func key(_ random: inout SeededGenerator, of count: Int) -> StoredKey {
        BlockStoreModel.key(random.below(count))
    }

    @Test(arguments: TestScale.seeds(6)) func `random keys come in order, whenever the table is opened again`(
        seed: UInt64
    ) throws {
        var random = SeededGenerator(seed: seed)
        let folder = try TemporaryFolder()
        let connection = try BlockConnection(path: folder.file())
        try connection.execute((["BEGIN"] + BlockTable.schema.map(\.sql) + ["COMMIT"]).joined(separator: ";"))
        var runs = try KeyRuns(connection.handle)
        var live: Set<StoredKey> = []
        let keyCount = [300, 5_000, 40_000][Int(seed % 3)]
        var run = RandomWalk(seed: seed)
        while run.next(of: 60) {
            let before = live
            var new: Set<StoredKey> = []
            for _ in 0..<random.below(keyCount / 10) {
                let key = key(&random, of: keyCount)
                if !live.contains(key) { new.insert(key) } else if random.chance(300) { live.remove(key) }
            }
            try connection.execute("BEGIN")
            try runs.stage(Array(new)) { !before.contains($0) }
            if random.chance(150) {
                try connection.execute("ROLLBACK")
                runs.discard()
                live = before
            } else {
                try connection.execute("COMMIT")
                runs.published()
                live.formUnion(new)
            }
            if random.chance(100) { runs = try KeyRuns(connection.handle) }
            guard run.step % 10 == 1 else { continue }
            let walked = try walk(runs)
            let isInOrder = walked == sorted(Set(walked))
            #expect(isInOrder, "\(run): not in order, or one twice")
            let missingCount = live.subtracting(walked).count
            #expect(missingCount == 0, "\(run)")
            // Pages from any key on are the rest of the same walk.
            let start = key(&random, of: keyCount)
            let startBytes = OrderedKey.bytes(of: start)
            let page = try walk(runs, after: startBytes, countMax: 50)
            let rest = walked.filter { startBytes.lexicographicallyPrecedes(OrderedKey.bytes(of: $0)) }
            let isRest = page == Array(rest.prefix(50))
            #expect(isRest, "\(run)")
        }
        #expect(runs.runCount < 8 * 4, "\(runs.runCount) runs")
    }

    private func walk(_ runs: KeyRuns, after start: [UInt8]? = nil, countMax: Int = .max) throws -> [StoredKey] {
        var keys: [StoredKey] = []
        var walk = try runs.walk(after: start)
        while keys.count < countMax, let key = try walk.next() { keys.append(key) }
        return keys
    }

    @Test func `merging drops keys that are gone, and goes on in steps`() throws {
        let folder = try TemporaryFolder()
        let connection = try BlockConnection(path: folder.file())
        try connection.execute((["BEGIN"] + BlockTable.schema.map(\.sql) + ["COMMIT"]).joined(separator: ";"))
        let runs = try KeyRuns(connection.handle)
        let keys = (0..<16_000).map { BlockStoreModel.key($0) }
        for run in 0..<8 {
            try runs.stage(Array(keys[run * 2_000..<(run + 1) * 2_000])) { _ in false }
            runs.published()
        }
        let gone = Set(keys[4_000...])
        var stepCount = 0
        // The eight runs are merged a thousand keys at a time.
        while runs.runCount > 1, stepCount < 40 {
            try runs.stage([]) { gone.contains($0) }
            runs.published()
            stepCount += 1
            let walked = try walk(runs)
            let missingCount = Set(keys[..<4_000]).subtracting(walked).count
            #expect(missingCount == 0)
        }
        #expect(stepCount > 5)
        let count = try walk(runs).count
        // Some thousand keys were merged before they were gone.
        #expect(count < 13_000, "\(count)")
    }

    @Test func `a part with a flipped bit, cut, or in another's row is refused`() throws {
        var builder = KeyPartBuilder()
        let keys = sorted((0..<12).map { BlockStoreModel.key($0) })
        for key in keys { OrderedKey.bytes(of: key).withUnsafeBytes { builder.add($0) } }
        let bytes = builder.take(place: 7)
        func part(_ bytes: [UInt8], place: Int64 = 7) -> KeyPart? {
            bytes.withUnsafeBytes { KeyPart($0, place: place) }
        }
        let whole = try #require(part(bytes))
        let read = (0..<whole.count).map { whole.withKey($0) { OrderedKey.key($0) } }
        #expect(read == keys)
        #expect(part(bytes, place: 8) == nil)
        #expect(part(bytes + [0]) == nil)
        for count in 0..<bytes.count { #expect(part(Array(bytes.prefix(count))) == nil) }
        for (bit, damaged) in bytes.withOneBitFlipped.enumerated() { #expect(part(damaged) == nil, "bit \(bit)") }
    }

    @Test func `size classes grow by eight`() {
        #expect([0, 1, 7, 8, 63, 64, 1 << 20].map { KeyRun.level(partCount: $0) } == [0, 0, 0, 1, 1, 2, 6])
        let run = KeyRun(level: KeyRun.levelMax, sequence: 1 << 39 - 1, parts: 3..<4)
        #expect(KeyRun(place: run.place(of: 3)) == run)
        #expect(KeyRun(place: -1) == nil)
    }
}
