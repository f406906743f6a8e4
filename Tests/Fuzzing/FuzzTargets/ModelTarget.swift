import TidemarkModel
import TidemarkTestKit

/// Streams of events that are mostly sound: framer, decoder and state end in the state of the reference model, with and
/// without an upstream.
///
/// The bytes are choices (``StreamChoices``), so nearly every input reaches the gate, the store and the merge, which
/// streams of arbitrary bytes seldom do.
enum ModelTarget {
    static let target = FuzzTarget("model", byteCountMax: 1_024, .now(check))

    private static func check(_ bytes: [UInt8]) throws {
        var choices = ByteChoices(bytes)
        let options = choices.byte()
        let hasUpstream = options & 1 == 1
        var limits = Limits()
        if options & 2 != 0 {
            limits.lineByteCountMax = 150
            limits.quarantineByteCountMax = 100
        }
        if options & 4 != 0 { limits.batchMemberCountMax = 2 }
        if options & 8 != 0, !hasUpstream { limits.heldEventCountMax = 2 }
        let made = StreamChoices(choices, hasUpstream: hasUpstream)
        let stream = made.stream(hasCarriageReturns: options & 16 != 0)
        let comparison = ModelComparison(
            limits: limits, upstream: hasUpstream ? made.log : nil, seed: UInt64(options))
        let differences = try comparison.differences(of: stream)
        try require(differences.isEmpty, "\(differences.joined(separator: "\n"))\nof the stream\n\(stream.text)")
    }
}
