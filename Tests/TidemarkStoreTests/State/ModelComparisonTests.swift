import TestTraits
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

/// The real framer, decoder and state against the reference model, which shares no code with them.
@Suite(.pooled, .tags(.model)) struct ModelComparisonTests {
    @Test(arguments: 1...120 as ClosedRange<UInt64>)
    func `a spoiled stream without an upstream ends in the state of the model`(_ seed: UInt64) throws {
        var options = GeneratedStreamOptions()
        options.hasEpochs = seed % 2 == 0
        options.batchCountMax = 3
        options.lineByteCountMax = 700
        try compare(seed: seed, options: options, hasUpstream: false)
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `a spoiled stream with its log as upstream ends in the state of the model`(_ seed: UInt64) throws {
        var options = GeneratedStreamOptions()
        options.hasHeartbeats = false
        try compare(seed: seed, options: options, hasUpstream: true)
    }

    /// Lost events come late, in any order, some of them twice, with false numbers and cut lines among them.
    @Test(arguments: 1...120 as ClosedRange<UInt64>)
    func `late copies of everything end in the state of the model`(_ seed: UInt64) throws {
        var options = GeneratedStreamOptions()
        options.hasEpochs = seed % 5 == 0
        options.hasHeartbeats = seed % 2 == 0
        var generator = StreamGenerator(seed: seed, options: options)
        let generated = generator.generate()
        var limits = Limits()
        let hasUpstream = seed % 4 == 1
        if seed % 3 == 0, !hasUpstream { limits.heldEventCountMax = 7 }
        var random = SeededGenerator(seed: seed ^ 0x6C61_7465)
        let first = LyingLines.spoiled(generated.stream, &random)
        let late = LyingLines.shuffled(generated.log, &random)
        if seed % 6 == 2 { limits.entityByteCountMax = 250 }
        let comparison = ModelComparison(limits: limits, upstream: hasUpstream ? generated.log : nil, seed: seed)
        #expect(try comparison.differences(ofRuns: [first, late, generated.stream]) == [], "seed \(seed)")
    }

    @Test(arguments: 1...120 as ClosedRange<UInt64>)
    func `a stream of entities that grow too large ends in the state of the model`(_ seed: UInt64) throws {
        var options = GeneratedStreamOptions()
        options.hasEpochs = seed % 4 == 2
        options.hasHeartbeats = seed % 4 != 0
        try compare(
            seed: seed, options: options, hasUpstream: seed % 4 == 0,
            entityByteCountMax: [120, 250, 500][Int(seed % 3)])
    }

    @Test func `entities grow too large in events, in members of batches and in upstream answers`() throws {
        var kinds: Set<QuarantineRecord.Kind> = []
        for seed: UInt64 in 1...40 {
            var options = GeneratedStreamOptions()
            options.hasHeartbeats = false
            var generator = StreamGenerator(seed: seed, options: options)
            let generated = generator.generate()
            var limits = Limits()
            limits.entityByteCountMax = 120
            var subject = StateFixture(limits: limits, upstream: generated.log, seed: seed)
            try subject.ingest(generated.stream)
            try subject.endOfInput()
            kinds.formUnion(subject.quarantine.filter { $0.reason == .tooLarge }.map(\.kind))
        }
        #expect(kinds == [.line, .member, .upstream])
    }

    private func compare(
        seed: UInt64, options: GeneratedStreamOptions, hasUpstream: Bool, entityByteCountMax: Int? = nil
    ) throws {
        var generator = StreamGenerator(seed: seed, options: options)
        let generated = generator.generate()
        var limits = Limits()
        if let entityByteCountMax { limits.entityByteCountMax = entityByteCountMax }
        if let batchCountMax = options.batchCountMax { limits.batchMemberCountMax = batchCountMax }
        if let lineByteCountMax = options.lineByteCountMax {
            limits.lineByteCountMax = lineByteCountMax
            limits.quarantineByteCountMax = lineByteCountMax
        }
        if seed % 3 == 0, !hasUpstream { limits.heldEventCountMax = 7 }
        let comparison = ModelComparison(limits: limits, upstream: hasUpstream ? generated.log : nil, seed: seed)
        let differences = try comparison.differences(of: generated.stream)
        #expect(differences == [], "seed \(seed)")
    }
}
