import TestTraits
import Testing
import TidemarkModel

@Suite(.pooled) struct ChecksumTests {
    /// The sanity buffer and expected values of the xxHash project's own tests.
    @Test func `XXH64 gives the test values of its specification`() {
        var generator: UInt64 = 2_654_435_761
        let bytes = (0..<222).map { _ in
            defer { generator = generator &* 11_400_714_785_074_694_797 }
            return UInt8(generator >> 56)
        }
        func hash(_ count: Int, _ seed: UInt64) -> UInt64 {
            Array(bytes[..<count]).withUnsafeBytes { Checksum.xxh64($0, seed: seed) }
        }
        let prime: UInt64 = 2_654_435_761
        #expect(hash(0, 0) == 0xEF46_DB37_51D8_E999)
        #expect(hash(0, prime) == 0xAC75_FDA2_929B_17EF)
        #expect(hash(1, 0) == 0xE934_A84A_DB05_2768)
        #expect(hash(1, prime) == 0x5014_607643A9_B4C3)
        #expect(hash(4, 0) == 0x9136_A0DC_A574_57EE)
        #expect(hash(14, 0) == 0x8282_DCC4_994E_35C8)
        #expect(hash(14, prime) == 0xC3BD_6BF6_3DEB_6DF0)
        #expect(hash(222, 0) == 0xB641_AE8C_B691_C174)
        #expect(hash(222, prime) == 0x20CB_8AB7_AE10_C14A)
    }

    @Test func `XXH64 gives the published values of short texts`() {
        func hash(_ text: String) -> UInt64 { Array(text.utf8).withUnsafeBytes { Checksum.xxh64($0) } }
        #expect(hash("a") == 0xD24E_C4F1_A98C_6E5B)
        #expect(hash("abc") == 0x44BC_2CF5_AD77_0999)
        #expect(hash("Nobody inspects the spammish repetition") == 0xFBCE_A83C_8A37_8BF1)
    }
}
