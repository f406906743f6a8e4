import Foundation
import TestTraits
import Testing
import TidemarkTesting

@testable import TidemarkScopeTokens

/// Base64url: one text for given bytes, compared with Foundation's decoder.
@Suite(.pooled) struct Base64URLTests {
    /// What Foundation makes of a text, if that is the only spelling of these bytes.
    private func expected(_ text: [UInt8]) -> [UInt8]? {
        let letters = text.map {
            $0 == UInt8(ascii: "-") ? UInt8(ascii: "+") : $0 == UInt8(ascii: "_") ? UInt8(ascii: "/") : $0
        }
        let padded = letters + [UInt8](repeating: UInt8(ascii: "="), count: (4 - letters.count % 4) % 4)
        guard !text.contains(where: { "+/=".utf8.contains($0) }), let data = Data(base64Encoded: Data(padded)) else {
            return nil
        }
        return data.base64EncodedData() == Data(padded) ? Array(data) : nil
    }

    @Test func `random texts decode as Foundation decodes them, in one spelling alone`() {
        var random = SeededGenerator(seed: 7)
        let characters = Array("ABab01-_AQgw-_zZ9+/= \n.".utf8)
        var decodedCount = 0
        for _ in 0..<20_000 {
            let count = Int.random(in: 0...9, using: &random)
            let range = Bool.random(using: &random) ? 0..<14 : characters.indices
            let text = (0..<count).map { _ in characters[Int.random(in: range, using: &random)] }
            let decoded = Base64URL.decoded(text)
            #expect(decoded == expected(text), "\(String(decoding: text, as: UTF8.self))")
            if let decoded {
                decodedCount += 1
                #expect(Base64URL.encoded(decoded) == String(decoding: text, as: UTF8.self))
            }
        }
        #expect(decodedCount > 1_000)
    }
}
