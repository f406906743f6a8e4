import Testing
import TidemarkModel
import TidemarkTesting

/// The real framer, decoder and state against the reference model, which shares no code with them.
@Suite struct ModelComparisonTests {
    @Test(arguments: 1...120 as ClosedRange<UInt64>)
    func `a spoiled stream without an upstream leaves what the model says`(_ seed: UInt64) throws {
        var options = StreamOptions()
        options.hasEpochs = seed % 2 == 0
        options.batchCountMax = 3
        options.lineByteCountMax = 700
        try compare(seed: seed, options: options, hasUpstream: false)
    }

    @Test(arguments: 1...60 as ClosedRange<UInt64>)
    func `a spoiled stream with its log as upstream leaves what the model says`(_ seed: UInt64) throws {
        var options = StreamOptions()
        options.hasHeartbeats = false
        try compare(seed: seed, options: options, hasUpstream: true)
    }

    private func compare(seed: UInt64, options: StreamOptions, hasUpstream: Bool) throws {
        var generator = StreamGenerator(seed: seed, options: options)
        let generated = generator.generate()
        var limits = Limits()
        if let batchCountMax = options.batchCountMax { limits.batchMemberCountMax = batchCountMax }
        if let lineByteCountMax = options.lineByteCountMax {
            limits.lineByteCountMax = lineByteCountMax
            limits.quarantineByteCountMax = lineByteCountMax
        }
        if seed % 3 == 0, !hasUpstream { limits.heldEventCountMax = 7 }
        let comparison = ModelComparison(limits: limits, upstream: hasUpstream ? generated.log : nil, seed: seed)
        #expect(try comparison.differences(of: generated.stream) == [], "seed \(seed)")
    }
}
