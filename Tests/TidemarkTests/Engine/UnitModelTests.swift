import Foundation
import Logging
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

/// Units of several lines and states against the reference model: with gaps, damage, restarts in the middle, and
/// entities that only the journal has. Laws: L1, L4, L5, L7.
@Suite(.pooled, .tags(.model)) struct UnitModelTests {
    @Test(arguments: TestScale.seeds(120))
    func `units and states end in the state of the model`(seed: UInt64) async throws {
        let store = MemoryJournal.Store()
        try await run(seed: seed) { _ in MemoryJournal(store: store) }
    }

    @Test(arguments: TestScale.seeds(8))
    func `units and states on disk end in the state of the model`(seed: UInt64) async throws {
        let folder = try TemporaryFolder()
        try await run(seed: seed &+ 5_000) { index in
            // An abandoned journal keeps its lock; a copy of its files is the state after a crash.
            let path = folder.path("\(index).db")
            if index > 0 {
                for suffix in ["", "-wal"]
                where FileManager.default.fileExists(atPath: folder.path("\(index - 1).db\(suffix)")) {
                    try FileManager.default.copyItem(
                        atPath: folder.path("\(index - 1).db\(suffix)"), toPath: path + suffix)
                }
            }
            return try await SQLiteJournal.open(SQLiteJournal.Configuration(path: path))
        }
    }

    private func run(seed: UInt64, _ open: (Int) async throws -> any Journal) async throws {
        var random = SeededGenerator(seed: seed ^ 0x5C0)
        let hasUpstream = random.chance(300)
        var stream = UnitStream(seed: seed, hasStates: !hasUpstream, unitCount: 20 + random.below(60))
        let bytes = Array(stream.disturbed().map { $0 + "\n" }.joined().utf8)
        let log = Array(stream.log.map { $0 + "\n" }.joined().utf8)
        let folder = try TemporaryFolder()
        let logPath = try folder.write(log, to: "log")

        var configuration = CacheConfiguration()
        configuration.memoryByteCountMax = random.chance(700) ? 0 : 256 << 20
        configuration.logger.logLevel = .error
        configuration.reorderWindow = .milliseconds(3_600_000)
        configuration.flush.startCount = 1 + random.below(8)
        configuration.flush.changeCountMax = configuration.flush.startCount + random.below(8)
        var reference = ReferenceConfiguration()
        reference.upstream = hasUpstream ? log : nil
        var model = ReferenceModel(configuration: reference)
        for (index, part) in runs(of: bytes, count: 1 + random.below(5), &random).enumerated() {
            if index > 0 { model = model.restarted(with: reference) }
            let subject = try await CacheFixture.open(
                try await open(index), configuration, upstream: hasUpstream ? FileUpstream(path: logPath) : nil,
                clock: ManualClock(skipsUpTo: 60_000))
            let isAbandoned = random.chance(400)
            try await subject.ingest(part, seed: seed, endsInput: !isAbandoned)
            model.ingest(part)
            if !isAbandoned { model.endOfInput() }
            let problems = try await subject.differences(from: model)
            #expect(problems == [], "seed \(seed), run \(index + 1), abandoned \(isAbandoned), upstream \(hasUpstream)")
            if !problems.isEmpty { return }
            await subject.cache.checkInvariants()
            if !isAbandoned { try await subject.cache.close() }
        }
    }
}
