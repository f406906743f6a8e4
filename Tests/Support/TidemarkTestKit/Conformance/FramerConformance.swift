import TidemarkModel
import TidemarkReferenceModel
import TidemarkTesting
import TidemarkWire

/// Checks that a framer finds the same lines however its bytes are cut: all at once, one by one, at random.
///
/// The expected lines come from ``ReferenceFraming``, which scans a whole stream and shares no code with the framer.
///
/// ```swift
/// let conformance = FramerConformance(limits: Limits())
/// try conformance.check(Array("a\r\nb\n".utf8), seed: 1)
/// ```
package struct FramerConformance {
    /// A difference between the framer and the reference.
    package struct Failure: Error, CustomStringConvertible {
        /// How the stream was cut.
        package let cut: String
        /// The difference in words.
        package let message: String

        /// The cut and the difference.
        package var description: String { "\(cut): \(message)" }
    }

    /// One line that the framer returned.
    package struct Line: Equatable, CustomStringConvertible {
        /// The number of the line, from 1.
        package var number: Int64
        /// The number of bytes before the line.
        package var offset: Int64
        /// The bytes of the line without its end; only the beginning if the line is too long.
        package var bytes: [UInt8]
        /// The size of the whole line in bytes.
        package var byteCount: Int

        /// The position, size and beginning of the line.
        package var description: String {
            "line \(number) at \(offset), \(byteCount) bytes: \(String(decoding: bytes.prefix(40), as: UTF8.self))"
        }
    }

    private let limits: Limits

    /// Creates a check.
    ///
    /// - Parameter limits: Only `lineByteCountMax` and `quarantineByteCountMax` are used; the second must not exceed
    ///   the first.
    package init(limits: Limits) {
        self.limits = limits
    }

    /// Returns streams that are difficult at this limit: lines around the limit with every kind of end, at the start of
    /// the stream and after another line, and marks and line ends that may be cut.
    package func poison() -> [[UInt8]] {
        let limit = limits.lineByteCountMax
        let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
        var streams: [[UInt8]] = [
            [], [0x0A], [0x0D], [0x0D, 0x0A], mark, mark + [0x0A], mark + mark, Array(mark.prefix(2)),
            Array("a\r\r\n\nb".utf8), Array("a\n\r\n \t\r\n".utf8) + mark + [0x0A], Array("\u{2028}\u{85}\n".utf8),
        ]
        for length in max(0, limit - 1)...limit + 2 {
            for end in ["", "\n", "\r\n", "\r", "\r\r\n"] {
                let line = [UInt8](repeating: UInt8(ascii: "x"), count: length) + Array(end.utf8)
                streams += [line, Array("before\n".utf8) + line + Array("after\r\n".utf8), mark + line + line]
            }
        }
        return streams
    }

    /// Returns a stream of short lines, long lines and stray bytes.
    package func random(seed: UInt64) -> [UInt8] {
        var random = SeededGenerator(seed: seed)
        let pieces: [[UInt8]] = [
            [0x0A], [0x0D, 0x0A], [0x0D], [0xEF, 0xBB, 0xBF], Array("é".utf8), Array("x".utf8), Array(" ".utf8),
            [UInt8](repeating: UInt8(ascii: "y"), count: limits.lineByteCountMax - 1),
        ]
        return (0..<random.below(80)).reduce(into: []) { stream, _ in stream += random.pick(pieces) }
    }

    /// Compares the lines of every way of cutting a stream with those of the reference.
    ///
    /// - Throws: ``Failure`` at the first difference.
    package func check(_ stream: [UInt8], seed: UInt64) throws {
        let wanted = expected(stream)
        try compare(stream, [stream], "at once", wanted)
        try compare(stream, stream.map { [$0] }, "byte by byte", wanted)
        for round in 0..<1 as Range<UInt64> {
            var random = SeededGenerator(seed: seed &* 31 &+ round)
            var chunks: [[UInt8]] = []
            var rest = stream[...]
            while !rest.isEmpty {
                // Sometimes an empty chunk, because a source may have nothing to give.
                let chunk = rest.prefix(random.below(1 + min(rest.count, limits.lineByteCountMax * 2)))
                chunks.append(Array(chunk))
                rest = rest.dropFirst(chunk.count)
            }
            try compare(stream, chunks, "cut at random, seed \(seed), round \(round)", wanted)
        }
    }

    private func compare(_ stream: [UInt8], _ chunks: [[UInt8]], _ cut: String, _ wanted: [Line]) throws {
        let found = try lines(of: chunks, cut)
        guard found != wanted else { return }
        let index = zip(found, wanted).prefix { $0 == $1 }.count
        let own = index < found.count ? "\(found[index])" : "nothing"
        let other = index < wanted.count ? "\(wanted[index])" : "nothing"
        throw Failure(cut: cut, message: "\(own), not \(other), of a stream of \(stream.count) bytes")
    }

    private func expected(_ stream: [UInt8]) -> [Line] {
        ReferenceFraming.lines(of: stream).map { line in
            let isTooLong = line.bytes.count > limits.lineByteCountMax
            return Line(
                number: Int64(line.place.line), offset: Int64(line.place.offset),
                bytes: isTooLong ? Array(line.bytes.prefix(limits.quarantineByteCountMax)) : line.bytes,
                byteCount: line.bytes.count)
        }
    }

    private func lines(of chunks: [[UInt8]], _ cut: String) throws -> [Line] {
        var framer = LineFramer(limits: limits)
        var lines: [Line] = []
        for chunk in chunks {
            chunk.withUnsafeBytes { framer.append($0) }
            for block in framer.takeBlocks() { append(block, to: &lines) }
            guard framer.pendingByteCount <= limits.lineByteCountMax + 1 + 3 else {
                throw Failure(cut: cut, message: "\(framer.pendingByteCount) bytes are buffered")
            }
        }
        framer.finish()
        for block in framer.takeBlocks() { append(block, to: &lines) }
        return lines
    }

    private func append(_ block: LineBlock, to lines: inout [Line]) {
        for (index, span) in block.lines.enumerated() {
            let bytes = Array(block.bytes[Int(span.offset)..<Int(span.offset + span.count)])
            lines.append(
                Line(
                    number: block.firstLine + Int64(index), offset: block.firstOffset + Int64(span.offset),
                    bytes: bytes, byteCount: block.tooLongByteCount ?? bytes.count))
        }
    }
}
