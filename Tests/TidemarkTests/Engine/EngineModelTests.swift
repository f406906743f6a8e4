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

/// The engine on a journal, closed or abandoned and opened again during the walk, against the reference model. Nothing
/// stays in memory longer than a flush, so that evictions and loads happen all the time. Laws: L1, L4, L5, L7.
@Suite(.pooled, .tags(.model)) struct EngineModelTests {
    @Test(arguments: TestScale.seeds(40))
    func `a journal in memory and a stream with restarts end in the state of the model`(seed: UInt64) async throws {
        let store = MemoryJournal.Store()
        try await run(seed: seed) { _ in MemoryJournal(store: store) }
    }

    /// - Parameter layout: The form of entities; nil: rows that become blocks on the way.
    @Test(arguments: [EntityLayout.rows, .blocks, nil], TestScale.seeds(6))
    func `a journal on disk and a stream with restarts end in the state of the model`(
        layout: EntityLayout?, seed: UInt64
    ) async throws {
        let folder = try TemporaryFolder()
        try await run(seed: seed &+ 1_000) { index in
            // An abandoned journal keeps its lock; a copy of its files is the state after a crash.
            let path = folder.path("\(index).db")
            if index > 0 {
                for suffix in ["", "-wal"]
                where FileManager.default.fileExists(atPath: folder.path("\(index - 1).db\(suffix)")) {
                    try FileManager.default.copyItem(
                        atPath: folder.path("\(index - 1).db\(suffix)"), toPath: path + suffix)
                }
            }
            var configuration = SQLiteJournal.Configuration(path: path)
            configuration.layout = layout ?? .rows
            configuration.blockEntityCountMin = layout == nil ? Int64(5 + seed % 40) : nil
            configuration.movedCountPerStep = 7
            configuration.dictionarySampleCountMin = 40
            return try await SQLiteJournal.open(configuration)
        }
    }

    private func run(seed: UInt64, _ open: (Int) async throws -> any Journal) async throws {
        var random = SeededGenerator(seed: seed ^ 0xABCD)
        let hasUpstream = random.chance(500)
        var options = GeneratedStreamOptions()
        options.lineCount = 250
        options.hasHeartbeats = !hasUpstream
        options.hasEpochs = !hasUpstream && random.chance(500)
        var generator = StreamGenerator(seed: seed, options: options)
        let generated = generator.generate()
        let folder = try TemporaryFolder()
        let log = try folder.write(generated.log, to: "log")

        var configuration = CacheConfiguration()
        configuration.typeAliases = ["entry": "file"]
        configuration.memoryByteCountMax = random.chance(800) ? 0 : 256 << 20
        configuration.logger.logLevel = .error
        configuration.reorderWindow = .milliseconds(3_600_000)
        configuration.flush.startCount = 1 + random.below(60)
        configuration.flush.changeCountMax = configuration.flush.startCount + random.below(60)
        var reference = ReferenceConfiguration()
        reference.typeAliases = ReferenceConfiguration.spacedriveAliases
        reference.upstream = hasUpstream ? generated.log : nil

        var model = ReferenceModel(configuration: reference)
        for (index, part) in runs(of: generated.stream, count: 1 + random.below(4), &random).enumerated() {
            if index > 0 { model = model.restarted(with: reference) }
            let journal = try await open(index)
            let subject = try await CacheFixture.open(
                journal, configuration, upstream: hasUpstream ? FileUpstream(path: log) : nil,
                clock: ManualClock(skipsUpTo: 60_000))
            let isAbandoned = random.chance(400)
            try await subject.ingest(part, seed: seed, endsInput: !isAbandoned)
            model.ingest(part)
            if !isAbandoned { model.endOfInput() }
            let problems = try await subject.differences(from: model)
            #expect(problems == [], "seed \(seed), run \(index + 1), abandoned \(isAbandoned), upstream \(hasUpstream)")
            if !problems.isEmpty { return }
            if !isAbandoned {
                let counts = await subject.cache.counts() - subject.countsBefore
                #expect(counts.isConserved())
                try await subject.cache.close()
            }
        }
    }
}
