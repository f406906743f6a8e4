import TestTraits
import Testing
import TidemarkModel
import TidemarkTesting

@testable import TidemarkScopes

/// Numbers and epochs: what a client can read from them, and what it cannot make.
@Suite(.pooled) struct ScopeEpochTests {
    private let log: [UInt8] = [1, 2, 3]

    @Test func `an epoch names its log and its beginning`() throws {
        let secret = ScopeSecret.test()
        for base: UInt32 in [1, 2, 77, 4_000_000_000] {
            let epoch = ScopeEpoch(base: ScopePosition(base), log: log, nonce: 9, secret)
            let read = try #require(ScopeEpoch(epoch.text, log: log, secret))
            #expect(read == epoch)
            #expect(ScopeEpoch(epoch.text, log: [1, 2], secret) == nil)
            #expect(ScopeEpoch(epoch.text, log: log, .test(8)) == nil)
        }
    }

    @Test func `no changed epoch is one`() {
        let secret = ScopeSecret.test()
        let text = ScopeEpoch(base: ScopePosition(5), log: log, nonce: 9, secret).text.bytes
        for index in text.indices {
            var changed = text
            changed[index] = changed[index] == UInt8(ascii: "0") ? UInt8(ascii: "1") : UInt8(ascii: "0")
            #expect(ScopeEpoch(ByteString(changed), log: log, secret) == nil)
        }
        for other in [
            "", "0", "zz", text.map { String($0) }.joined(), String(decoding: text.dropLast(2), as: UTF8.self),
        ] {
            #expect(ScopeEpoch(ByteString(other), log: log, secret) == nil)
        }
    }

    @Test func `the beginning is masked`() {
        let secret = ScopeSecret.test()
        let texts = (0..<100).map { nonce in
            ScopeEpoch(base: ScopePosition(5), log: log, nonce: UInt64(nonce), secret).text.bytes[16..<24]
        }
        #expect(Set(texts.map { Array($0) }).count > 90)
    }

    @Test func `numbers count from the state, and show whether they are inside a unit`() throws {
        let epoch = ScopeEpoch(base: ScopePosition(41), log: log, nonce: 9, .test())
        #expect(epoch.number(of: ScopePosition(41)).rawValue == 1 << 20)
        #expect(epoch.number(of: ScopePosition(43)).rawValue == 3 << 20)
        let inside = try #require(ScopeNumber(wire: 3 << 20 + 5))
        #expect(epoch.position(of: inside) == ScopePosition(43))
        #expect(inside.nextLine.rawValue == 3 << 20 + 6 && inside.line == 5)
        #expect(epoch.position(of: try #require(ScopeNumber(wire: 17))) == nil)
        #expect(ScopeNumber(wire: 1 << 60) == nil)
        let last = try #require(ScopeNumber(wire: UInt64(UInt32.max) << 20))
        #expect(epoch.position(of: last) == nil)
    }
}
