import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTesting

@testable import TidemarkSQLite

@Suite(.pooled) struct ElementListTests {
    private let uuid = UUIDValue(high: 0x0123_4567_89AB_4DEF, low: 0x8123_4567_89AB_CDEF)

    private func decode(_ bytes: [UInt8]) -> Result<[QueryElement], PayloadError> {
        bytes.withUnsafeBytes { bytes in
            Result { () throws(PayloadError) in try ElementListCodec.decode(bytes) }
        }
    }

    @Test func `the bytes of a list are those of the page`() {
        let plain = [QueryElement(id: .uuid(uuid)), QueryElement(id: .text("ab")), QueryElement(id: .text(""))]
        #expect(ElementListCodec.encode([]) == [0x10, 0])
        #expect(ElementListCodec.encode(plain) == [0x10, 3, 0] + uuid.bytes + [3, 97, 98, 1])
        let sorted = [QueryElement(id: .text("a"), sortKey: [7, 8]), QueryElement(id: .text("b"))]
        #expect(ElementListCodec.encode(sorted) == [0x11, 2, 2, 97, 2, 7, 8, 2, 98, 0])
        let long = QueryElement(id: .text(ByteString([UInt8](repeating: 97, count: 300))))
        #expect(ElementListCodec.encode([long]).prefix(4) == [0x10, 1, 0xAD, 2])
    }

    @Test(arguments: UInt64(1)...20) func `every list is read back`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let hasSortKeys = seed % 2 == 0
        let elements = (0..<[0, 1, 127, 128, 5_000][random.below(5)]).map { _ in
            let id: StoredID =
                random.chance(500)
                ? .uuid(UUIDValue(high: random.next(), low: random.next()))
                : .text(ByteString((0..<random.below(300)).map { _ in UInt8(random.below(256)) }))
            return QueryElement(
                id: id, sortKey: hasSortKeys ? (0..<random.below(200)).map { _ in UInt8(random.below(256)) } : [])
        }
        #expect(decode(ElementListCodec.encode(elements)) == .success(elements), "seed \(seed)")
    }

    @Test func `a list that declares more than its bytes is refused before memory is allocated`() {
        #expect(decode([]) == .failure(.truncated))
        #expect(decode([0x10]) == .failure(.truncated))
        #expect(decode([0x20, 0]) == .failure(.unknownFormat))
        #expect(decode([0x12, 0]) == .failure(.unknownFormat))
        #expect(decode([0x10, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]) == .failure(.lengthMismatch))
        #expect(decode([0x10, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 1]) == .failure(.truncated))
        #expect(decode([0x10, 1]) == .failure(.lengthMismatch))
        #expect(decode([0x10, 1, 0, 1, 2]) == .failure(.truncated))
        #expect(decode([0x10, 1, 0xFF, 0xFF, 0xFF, 0xFF, 0x7F]) == .failure(.truncated))
        // The length has more bytes than it needs, and declares -1 bytes of text.
        #expect(decode([0x10, 1, 0x80, 0]) == .failure(.truncated))
        #expect(decode([0x10, 1, 3, 97]) == .failure(.truncated))
        #expect(decode([0x11, 1, 2, 97, 9, 1]) == .failure(.truncated))
        #expect(decode([0x11, 1, 2, 97]) == .failure(.truncated))
        #expect(decode([0x10, 1, 2, 97, 0]) == .failure(.lengthMismatch))
    }

    @Test(arguments: UInt64(1)...6) func `random bytes never crash, and a cut list is refused`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let elements = (0..<30).map { index in
            QueryElement(
                id: index % 2 == 0 ? .uuid(UUIDValue(high: random.next(), low: 1)) : .text(ByteString("id \(index)")),
                sortKey: seed % 2 == 0 ? [UInt8(index), 1, 2] : [])
        }
        let whole = ElementListCodec.encode(elements)
        for count in 0..<whole.count {
            if case .success(let elements) = decode(Array(whole[..<count])) {
                Issue.record("\(count) bytes of \(whole.count) gave \(elements.count) elements")
            }
        }
        for _ in 0..<1_000 {
            var bytes = whole
            for _ in 0...random.below(4) { bytes[random.below(bytes.count)] = UInt8(random.below(256)) }
            _ = decode(bytes)
            var rubbish = (0..<random.below(60)).map { _ in UInt8(random.below(256)) }
            if !rubbish.isEmpty { rubbish[0] = UInt8(0x10 + random.below(2)) }
            if case .success(let elements) = decode(rubbish) { #expect(elements.count <= rubbish.count) }
        }
    }
}
