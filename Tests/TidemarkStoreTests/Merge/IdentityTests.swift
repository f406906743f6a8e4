import TestTraits
import Testing
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// Laws: L11.
@Suite(.pooled) struct IdentityTests {
    private func uuid(_ text: String) -> UUIDValue? {
        Array(text.utf8).withUnsafeBytes { UUIDValue(text: $0) }
    }

    @Test func `a UUID is read in either case and written in lower case`() {
        let value = UUIDValue(high: 0x0C5F_4D0E_6A77_4F5E, low: 0x9B53_6D9A_D2A7_C001)
        #expect(uuid("0C5F4D0E-6a77-4F5E-9b53-6D9AD2A7C001") == value)
        #expect(String(decoding: value.text, as: UTF8.self) == "0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c001")
        #expect(value.bytes.withUnsafeBytes { UUIDValue(bytes: $0) } == value)
    }

    @Test(arguments: [
        "", "0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c00", "0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c0011",
        "{0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c00}", "0c5f4d0e6a774f5e9b536d9ad2a7c001",
        "0c5f4d0e-6a77-4f5e-9b536-d9ad2a7c001",
        "0c5f4d0g-6a77-4f5e-9b53-6d9ad2a7c001", "0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c00:",
    ])
    func `other texts are not UUIDs`(text: String) {
        #expect(uuid(text) == nil)
        #expect(EntityKey.canonicalID(ByteString(text)) == ByteString(text))
    }

    /// Reads the hyphenated form digit by digit.
    private func naiveUUID(_ text: [UInt8]) -> UUIDValue? {
        let hyphens = [8, 13, 18, 23]
        guard text.count == 36, hyphens.allSatisfy({ text[$0] == UInt8(ascii: "-") }) else { return nil }
        var halves: [UInt64] = [0, 0]
        for (number, index) in text.indices.filter({ !hyphens.contains($0) }).enumerated() {
            guard text[index] < 0x80, let digit = Character(UnicodeScalar(text[index])).hexDigitValue else {
                return nil
            }
            halves[number / 16] = halves[number / 16] << 4 | UInt64(digit)
        }
        return UUIDValue(high: halves[0], low: halves[1])
    }

    @Test func `UUIDs are read and written as digit by digit, with any byte in any place`() {
        var random = SeededGenerator(seed: 20_261_201)
        for _ in 0..<200 {
            let value = UUIDValue(high: random.next(), low: random.next())
            let good = value.text
            #expect(naiveUUID(good) == value)
            #expect(String(decoding: good, as: UTF8.self) == String(decoding: good, as: UTF8.self).lowercased())
            let position = random.below(36)
            for byte in UInt8.min...UInt8.max {
                var text = good
                text[position] = byte
                let read = text.withUnsafeBytes { UUIDValue(text: $0) }
                #expect(read == naiveUUID(text), "\(byte) at \(position) of \(value)")
            }
        }
    }

    @Test func `every byte in every place of a UUID is read right, on the wire too`() throws {
        let good = Array("0c5f4d0e-6a77-4f5e-9b53-6d9ad2a7c001".utf8)
        var stream: [UInt8] = []
        var wanted: Set<EntityKey> = []
        for position in good.indices {
            for byte in UInt8(0x20)...0x7E where byte != UInt8(ascii: "\"") && byte != UInt8(ascii: "\\") {
                var text = good
                text[position] = byte
                wanted.insert(EntityKey(type: "file", id: ByteString(text)))
                stream += Array("{\"ResourceChanged\":{\"resource_type\":\"file\",\"resource\":{\"id\":\"".utf8)
                stream += text + Array("\"}}}\n".utf8)
            }
        }
        var subject = StateFixture()
        try subject.ingest(stream)
        var keys: Set<EntityKey> = []
        subject.state.forEachEntity { key, _, _ in keys.insert(key) }
        #expect(keys == wanted)
    }

    @Test func `names compare as bytes, not as Unicode`() {
        let composed = ByteString("caf\u{E9}")
        let decomposed = ByteString("cafe\u{301}")
        #expect(composed != decomposed)
        #expect(decomposed < composed)
        #expect(ByteString("Z") < ByteString("a"))
        #expect(ByteString("a") < ByteString("aa"))
        #expect(ByteString([0x7F]) < ByteString([0x80]))
    }

    @Test func `keys are in the order of their libraries, then of their text`() {
        let ordered = [
            EntityKey(library: "", type: "z", id: "1"), EntityKey(library: "a", type: "a-b", id: "1"),
            EntityKey(library: "a", type: "a.b", id: "1"), EntityKey(library: "a", type: "a", id: "1"),
            EntityKey(library: "a", type: "a", id: "10"), EntityKey(library: "a", type: "a", id: "2"),
            EntityKey(library: "b", type: "A", id: "0"),
        ]
        #expect(ordered.reversed().sorted() == ordered)
        #expect(EntityKey(text: "a:b:c", library: "l") == EntityKey(library: "l", type: "a", id: "b:c"))
        #expect(EntityKey(text: "a:") == nil)
        #expect(EntityKey(text: ":a") == nil)
        #expect(EntityKey(text: "a") == nil)
    }
}
