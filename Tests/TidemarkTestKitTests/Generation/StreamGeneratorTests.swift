import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

@Suite(.pooled) struct StreamGeneratorTests {
    @Test func `the same seed gives the same bytes and another seed gives others`() {
        func stream(_ seed: UInt64) -> [UInt8] {
            var generator = StreamGenerator(seed: seed)
            return generator.generate().stream
        }
        #expect(stream(1) == stream(1))
        #expect(stream(1) != stream(2))
    }

    @Test func `a seeded generator returns the published numbers of SplitMix64`() {
        var random = SeededGenerator(seed: 1_234_567)
        #expect(
            (0..<3).map { _ in random.next() } == [
                6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
            ])
    }

    @Test(arguments: [false, true])
    func `every line of every stream is in one bin`(_ hasUpstream: Bool) {
        var reasons: Set<ReferenceReason> = []
        var total = ReferenceCounts()
        for seed in UInt64(0)..<150 {
            var options = GeneratedStreamOptions()
            options.lineCount = 120
            options.hasEpochs = seed % 2 == 0
            options.lineByteCountMax = 6_000
            options.batchCountMax = 8
            var generator = StreamGenerator(seed: seed, options: options)
            let generated = generator.generate()
            var configuration = ReferenceConfiguration()
            configuration.lineByteCountMax = 6_000
            configuration.batchCountMax = 8
            configuration.upstream = hasUpstream ? generated.log : nil
            var model = ReferenceModel(configuration: configuration)
            model.ingest(generated.stream)
            model.endOfInput()
            let summary = model.summary
            let counts = summary.counts
            #expect(counts.lines == counts.blank + counts.control + counts.messages + counts.events, "seed \(seed)")
            #expect(summary.libraries.values.allSatisfy { $0.state != "gap" }, "seed \(seed)")
            #expect(model.exportLines().count == summary.entities, "seed \(seed)")
            reasons.formUnion(model.quarantine.map(\.reason))
            total.duplicate += counts.duplicate
            total.held += counts.held
            total.membersQuarantined += counts.membersQuarantined
            total.reconciled += counts.reconciled
            total.messages += counts.messages
            total.control += counts.control
        }
        #expect(reasons == Set(ReferenceReason.allCases).subtracting([.tooManyLibraries, .tooLarge]))
        #expect(total.duplicate > 0 && total.held > 0 && total.membersQuarantined > 0)
        #expect(total.messages > 0 && total.control > 0)
        #expect((total.reconciled > 0) == hasUpstream)
    }

    @Test func `a generated log has no faults`() {
        for seed in UInt64(0)..<60 {
            var options = GeneratedStreamOptions()
            options.hasBadLines = false
            var generator = StreamGenerator(seed: seed, options: options)
            var model = ReferenceModel(configuration: ReferenceConfiguration())
            model.ingest(generator.generate().log)
            model.endOfInput()
            let counts = model.summary.counts
            #expect(counts.lines == counts.applied + counts.ignored, "seed \(seed)")
            #expect(model.summary.libraries.values.allSatisfy { $0.state == "live" && $0.lost.isEmpty }, "seed \(seed)")
        }
    }

    /// Checks the law of reconciling: a stream that was spoiled in any way, with its log as upstream, ends where the
    /// log ends.
    @Test func `a spoiled stream with its log as upstream ends as the log does`() throws {
        var spoiled = 0
        for seed in UInt64(0)..<60 {
            var options = GeneratedStreamOptions()
            options.lineCount = 200
            options.hasHeartbeats = false
            options.hasUnsequenced = false
            options.hasBadLines = false
            var generator = StreamGenerator(seed: seed, options: options)
            let generated = generator.generate()
            let ends = Self.ends(of: generated.log)

            var clean = ReferenceModel(configuration: ReferenceConfiguration())
            clean.ingest(generated.log)
            clean.endOfInput()

            var configuration = ReferenceConfiguration()
            configuration.upstream = generated.log
            var model = ReferenceModel(configuration: configuration)
            model.ingest(ends.heads)
            var stream = generated.stream
            if stream.starts(with: [0xEF, 0xBB, 0xBF]) { stream.removeFirst(3) }
            model.ingest(stream)
            model.ingest(ends.tails)
            model.endOfInput()

            #expect(model.exportLines() == clean.exportLines(), "seed \(seed)")
            #expect(model.summary.libraries == clean.summary.libraries, "seed \(seed)")
            if model.summary.counts.reconciled > 0 { spoiled += 1 }
        }
        #expect(spoiled > 20)
    }

    /// Returns heartbeats that name the beginning and the end of each library's log.
    private static func ends(of log: [UInt8]) -> (heads: [UInt8], tails: [UInt8]) {
        let decoder = ReferenceDecoder(configuration: ReferenceConfiguration())
        var first: [[UInt8]: Int64] = [:]
        var last: [[UInt8]: Int64] = [:]
        for line in ReferenceFraming.lines(of: log) {
            guard case .event(let event) = decoder.decode(line.bytes), let sequence = event.sequence else { continue }
            if first[event.library] == nil { first[event.library] = event.previous(of: sequence) }
            last[event.library] = sequence
        }
        func heartbeats(_ numbers: [[UInt8]: Int64]) -> [UInt8] {
            numbers.flatMap { library, number in
                Array("{\"library_id\":".utf8) + ReferenceString(library).spelling
                    + Array(",\"event\":{\"Heartbeat\":{\"last_sequence\":\(number)}}}\n".utf8)
            }
        }
        return (heartbeats(first), heartbeats(last))
    }
}
