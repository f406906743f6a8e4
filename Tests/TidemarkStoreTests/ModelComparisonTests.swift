import Testing
import TidemarkModel
import TidemarkStore
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
        var configuration = ReferenceConfiguration()
        configuration.typeAliases = ReferenceConfiguration.spacedriveAliases
        var limits = Limits()
        if let batchCountMax = options.batchCountMax {
            configuration.batchCountMax = batchCountMax
            limits.batchMemberCountMax = batchCountMax
        }
        if let lineByteCountMax = options.lineByteCountMax {
            configuration.lineByteCountMax = lineByteCountMax
            limits.lineByteCountMax = lineByteCountMax
        }
        if seed % 3 == 0, !hasUpstream {
            configuration.heldCountMax = 7
            limits.heldEventCountMax = 7
        }
        configuration.upstream = hasUpstream ? generated.log : nil
        var model = ReferenceModel(configuration: configuration)
        model.ingest(generated.stream)
        model.endOfInput()

        var subject = StateUnderTest(
            limits: limits, typeAliases: ["entry": "file"], upstream: hasUpstream ? generated.log : nil, seed: seed)
        try subject.ingest(generated.stream)
        try subject.endOfInput()

        #expect(subject.summaryLine() == String(decoding: model.summary.line, as: UTF8.self), "seed \(seed)")
        #expect(
            subject.exportLines() == model.exportLines().map { String(decoding: $0, as: UTF8.self) }, "seed \(seed)")
        let found = subject.quarantine.map { record in
            describe(
                line: record.line, offset: record.offset, reason: record.reason.code, library: record.library?.bytes,
                sequence: record.sequence?.rawValue)
        }
        let wanted = model.quarantine.map { record in
            describe(
                line: Int64(record.place.line), offset: Int64(record.place.offset), reason: record.reason.rawValue,
                library: record.library, sequence: record.sequence)
        }
        // Members that are counted when their gap ends come in the order in which gaps end.
        #expect(found.sorted() == wanted.sorted(), "seed \(seed)")
    }

    /// Without a sequence, no library and the default library say the same: nothing.
    private func describe(line: Int64, offset: Int64, reason: String, library: [UInt8]?, sequence: Int64?) -> String {
        let isNothing = sequence == nil && library?.isEmpty != false
        let name = isNothing ? "-" : library.map { String(decoding: $0, as: UTF8.self) } ?? "-"
        return "\(line) \(offset) \(reason) \(name) \(sequence.map { "\($0)" } ?? "-")"
    }
}
