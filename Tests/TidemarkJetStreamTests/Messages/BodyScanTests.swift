import TestTraits
import Testing
import TidemarkTesting

@testable import TidemarkJetStream

/// The scan that looks at eight bytes at once, beside one that looks at each.
@Suite(.pooled) struct BodyScanTests {
    /// Returns the end of a string or a container that begins at `start`, or nil: byte by byte, with a list of open
    /// ones.
    private func end(_ bytes: [UInt8], from start: Int) -> Int? {
        var open = 0
        var isInString = false
        var isEscaped = false
        for index in start..<bytes.count {
            let sign = Character(UnicodeScalar(bytes[index]))
            if isInString {
                if isEscaped {
                    isEscaped = false
                } else if sign == "\\" {
                    isEscaped = true
                } else if sign == "\"" {
                    isInString = false
                    if open == 0 { return index + 1 }
                }
            } else if sign == "\"" {
                isInString = true
            } else if sign == "{" || sign == "[" {
                open += 1
            } else if sign == "}" || sign == "]" {
                open -= 1
                if open == 0 { return index + 1 }
            }
        }
        return nil
    }

    @Test(arguments: 1...4) func `values end where a look at each byte says`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        // Neighbours of the wanted bytes, and bytes that differ from them in the highest bit or the folded one.
        let signs: [UInt8] = [
            0x22, 0x5B, 0x5D, 0x7B, 0x7D, 0x5C, 0x21, 0x23, 0x02, 0x5A, 0x5E, 0x7A, 0x7C, 0x7E, 0xA2, 0xDB, 0xFD, 0, 1,
            0x80, 0xFF, 0x20, 0x30, 0x61,
        ]
        var endCount = 0
        for _ in 0..<20_000 {
            // Long runs of ordinary bytes between rare signs, and the other way round.
            let rarity = 1 + random.below(30)
            let body =
                [[UInt8(ascii: "\""), UInt8(ascii: "{"), UInt8(ascii: "[")][random.below(3)]]
                + (0..<random.below(60)).map { _ in
                    random.below(rarity) == 0 ? signs[random.below(signs.count)] : UInt8(ascii: "a")
                }
            let start = random.below(4)
            let bytes = [UInt8](repeating: 0x22, count: start) + body + [UInt8](repeating: 0x22, count: random.below(9))
            let range = start..<start + body.count
            let found = bytes.withUnsafeBytes { bytes in
                var scan = BodyScan(bytes, range)
                return scan.value()
            }
            let expected = end(Array(bytes[..<range.upperBound]), from: start)
            #expect(found == expected.map { start..<$0 }, "\(bytes)")
            if expected != nil { endCount += 1 }
        }
        #expect(endCount > 1_000)
    }

    @Test func `a scan stays within its range`() {
        let bytes = Array(#"{"a":1}}}}}}}"#.utf8)
        for end in 0...bytes.count {
            let value = bytes.withUnsafeBytes { bytes in
                var scan = BodyScan(bytes, 0..<end)
                return scan.value()
            }
            #expect(value == (end >= 7 ? 0..<7 : nil))
        }
    }
}
