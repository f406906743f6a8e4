import TestTraits
import Testing
import TidemarkModel
import TidemarkTesting
import TidemarkWire

@testable import FuzzTargets

/// The decoder's first stage is simdjson's or our own, 64 bytes at a time. Every event must be the same with both.
@Suite(.pooled) struct FirstStageTests {
    private let library: EventDecoder
    private let portable: EventDecoder

    init() throws {
        library = try EventDecoder()
        portable = try EventDecoder(usesLibrary: false)
    }

    private func check(_ line: [UInt8]) throws {
        let wanted = try library.batches(of: line).flatMap { DecodedEvent.all(of: $0) }
        let found = try portable.batches(of: line).flatMap { DecodedEvent.all(of: $0) }
        #expect(found == wanted, "\(line.text)")
    }

    /// A usable line whose resource has a string with these bytes, which begin at a place of a block of 64.
    private func line(with bytes: [UInt8], at place: Int) -> [UInt8] {
        let head = #"{"sequence":1,"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"a","n":""#
        let spaces = Array(repeating: UInt8(ascii: " "), count: (128 + place - head.utf8.count) % 64)
        return spaces + Array(head.utf8) + bytes + Array(#""}}}}"#.utf8)
    }

    @Test func `runs of backslashes of any length end at any place of a block`() throws {
        for count in [0, 1, 2, 3, 4, 5, 62, 63, 64, 65, 66, 127, 128] {
            for place in 0..<64 {
                let run = Array(repeating: UInt8(ascii: "\\"), count: count)
                try check(line(with: run, at: place))
                try check(line(with: run + Array("n".utf8), at: place))
                try check(line(with: run + Array(#""x"#.utf8), at: place))
            }
        }
    }

    @Test func `every byte is read alike in a string, between tokens, and in a token`() throws {
        for byte in UInt8.min...UInt8.max where byte != UInt8(ascii: "\n") {
            for place in [0, 17, 63] {
                try check(line(with: [byte], at: place))
                try check([byte] + line(with: [], at: place) + [byte])
                try check(Array(#"{"sequence":1"#.utf8) + [byte] + Array(#","event":{"Refresh":null}}"#.utf8))
                try check(Array(#"{"sequence":1,"event":{"Refresh":tr"#.utf8) + [byte] + Array("ue}}".utf8))
            }
        }
    }

    /// Each range of the table in RFC 3629, section 4, with the bytes before and after it.
    @Test func `UTF-8 is accepted and refused alike at any place of a block`() throws {
        let seconds: [UInt8] = [0x20, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xFF]
        for lead in UInt8(0x80)...0xFF {
            for second in seconds {
                for rest in [[], [0x80], [0x80, 0xBF], [0x80, 0x41], [0xBF, 0xBF, 0xBF]] as [[UInt8]] {
                    for place in [0, 61, 62, 63] { try check(line(with: [lead, second] + rest, at: place)) }
                }
            }
        }
    }

    @Test func `a stream that ends anywhere has the same events`() throws {
        let whole = line(with: Array(#"\"é😀\\"#.utf8), at: 40) + [UInt8(ascii: "\n")]
        for count in whole.indices { try check(whole + Array(whole[..<count])) }
    }

    @Test(arguments: 0..<8) func `streams of tokens in any order have the same events`(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let pieces = [
            "{", "}", "[", "]", ":", ",", "\"", "\\", " ", "\n", "\r\n", "\t", "true", "null", "-0.5e+7", "é", "😀",
            "\u{1}",
            #""id":"a""#, #"\u00e9"#, #"\""#,
            #"{"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":""#,
        ]
        for _ in 0..<2_000 {
            let count = Int.random(in: 0..<40, using: &random)
            var stream: [UInt8] = []
            for _ in 0..<count { stream += Array(pieces[Int.random(in: pieces.indices, using: &random)].utf8) }
            try check(stream)
        }
    }
}
