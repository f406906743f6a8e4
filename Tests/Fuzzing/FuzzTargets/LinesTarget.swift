import TidemarkModel
import TidemarkTestKit
import TidemarkWire

/// The framer and the decoder: the first byte chooses limits, the rest is a stream.
///
/// However the stream is cut, the lines are the same; however its lines are grouped into blocks, and whatever the
/// decoder read before, and with simdjson and without, the events are the same; and the whole pipeline ends in the
/// state of the reference model.
enum LinesTarget {
    static let target = FuzzTarget("lines", byteCountMax: 4_096, .now(check))

    private static func check(_ bytes: [UInt8]) throws {
        var choices = ByteChoices(bytes.prefix(1))
        let choice = choices.byte()
        let stream = Array(bytes.dropFirst())
        var limits = Limits()
        limits.lineByteCountMax = [16 << 20, 200, 40, 7][Int(choice & 3)]
        limits.quarantineByteCountMax = min([4_096, 16][Int(choice >> 2 & 1)], limits.lineByteCountMax)
        limits.batchMemberCountMax = [100_000, 2][Int(choice >> 3 & 1)]
        limits.heldEventCountMax = [4_096, 2][Int(choice >> 4 & 1)]
        let seed = UInt64(choice)
        try FramerConformance(limits: limits).check(stream, seed: seed)

        let decoder = try EventDecoder(limits: limits)
        let whole = try events(of: stream, chunkByteCount: max(1, stream.count), limits, decoder)
        let pieces = try events(of: stream, chunkByteCount: 1 + Int(choice >> 5) * 11, limits, decoder)
        try requireEqual(pieces, whole, "events of the same lines in other blocks")
        let fresh = try events(
            of: stream, chunkByteCount: max(1, stream.count), limits, EventDecoder(limits: limits))
        try requireEqual(whole, fresh, "events from a decoder that was used before")
        let portable = try events(
            of: stream, chunkByteCount: max(1, stream.count), limits,
            EventDecoder(limits: limits, usesLibrary: false))
        try requireEqual(portable, whole, "events without simdjson")

        // The fields of a line that is too long are read from its kept part, which is no longer than a line.
        let comparison = ModelComparison(limits: limits, upstream: nil, seed: seed)
        let differences = try comparison.differences(of: stream)
        try require(differences.isEmpty, differences.joined(separator: "\n"))
    }

    /// Returns a decoder's events of a stream that comes in chunks.
    private static func events(
        of stream: [UInt8], chunkByteCount: Int, _ limits: Limits, _ decoder: EventDecoder
    ) throws -> [DecodedEvent] {
        var framer = LineFramer(limits: limits)
        var events: [DecodedEvent] = []
        func take(_ blocks: [LineBlock]) throws {
            for block in blocks { events += DecodedEvent.all(of: try decoder.decode(block)) }
        }
        for start in stride(from: 0, to: stream.count, by: chunkByteCount) {
            stream[start..<min(start + chunkByteCount, stream.count)].withUnsafeBytes { framer.append($0) }
            try take(framer.takeBlocks())
        }
        framer.finish()
        try take(framer.takeBlocks())
        return events
    }
}
