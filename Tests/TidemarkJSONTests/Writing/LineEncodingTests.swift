import TestTraits
import Testing
import TidemarkModel
import TidemarkTesting
import TidemarkJSON

/// Every byte string from outside is decoded before it is written: a line is UTF-8, whatever came.
@Suite(.pooled) struct LineEncodingTests {
    private func line(_ bytes: [UInt8]) -> [UInt8] {
        var line = JSONLine()
        line.object { $0.member(ByteString(bytes), Optional(ByteString(bytes))) }
        return line.bytes
    }

    @Test func `bytes that are not UTF-8 are read as Latin-1, others stay as they are`() {
        #expect(line([0x4E, 0xE9]) == Array(#"{"Né":"Né"}"#.utf8))
        #expect(line(Array("Né".utf8)) == Array(#"{"Né":"Né"}"#.utf8))
        // A surrogate, an overlong form and half a character.
        for bytes in [[0xED, 0xA0, 0x80], [0xC0, 0xAF], [0xE2, 0x82]] as [[UInt8]] {
            #expect(String(validating: line(bytes), as: UTF8.self) != nil)
        }
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `a line of any bytes is UTF-8, without a control character`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        for _ in 0..<50 {
            let written = line((0..<random.below(12)).map { _ in UInt8(random.below(256)) })
            let isText = String(validating: written, as: UTF8.self) != nil && written.allSatisfy { $0 >= 0x20 }
            if !isText { #expect(isText, "seed \(seed): \(written)") }
        }
    }
}
