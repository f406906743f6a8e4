/// SHA-256, for keys of bodies, hashes of credentials, ids of long storage names, and identities of documents.
///
/// It is implemented here because these few uses do not justify a library of cryptography, which every user would have
/// to compile.
///
/// - Source: FIPS 180-4, section 6.2.
package struct SHA256Digest: Hashable, Sendable {
    /// The 32 bytes of the digest.
    package let bytes: [UInt8]

    /// Makes a digest of its bytes.
    ///
    /// - Returns: nil unless there are 32 bytes.
    package init?(bytes: some Collection<UInt8>) {
        guard bytes.count == 32 else { return nil }
        self.bytes = Array(bytes)
    }

    /// Computes the digest of a message.
    ///
    /// - Complexity: O(bytes.count).
    package init(of message: [UInt8]) {
        var words: [UInt32] = [
            0x6A09_E667, 0xBB67_AE85, 0x3C6E_F372, 0xA54F_F53A, 0x510E_527F, 0x9B05_688C, 0x1F83_D9AB, 0x5BE0_CD19,
        ]
        var schedule = [UInt32](repeating: 0, count: 64)
        message.withUnsafeBytes { message in
            let wholeCount = message.count / 64
            for block in 0..<wholeCount {
                SHA256Digest.add(
                    UnsafeRawBufferPointer(rebasing: message[(block * 64)..<(block * 64 + 64)]), &words, &schedule)
            }
            var tail = Array(message[(wholeCount * 64)...]) + [0x80]
            tail += [UInt8](repeating: 0, count: (tail.count <= 56 ? 56 : 120) - tail.count)
            let bitCount = UInt64(message.count) &* 8
            for shift in stride(from: 56, through: 0, by: -8) {
                tail.append(UInt8(truncatingIfNeeded: bitCount >> shift))
            }
            tail.withUnsafeBytes { tail in
                for block in 0..<(tail.count / 64) {
                    SHA256Digest.add(
                        UnsafeRawBufferPointer(rebasing: tail[(block * 64)..<(block * 64 + 64)]), &words, &schedule)
                }
            }
        }
        bytes = words.flatMap { word in [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: word >> $0) } }
    }

    /// The digest as 64 hexadecimal digits.
    package var hexadecimal: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }

    private static func add(_ block: UnsafeRawBufferPointer, _ words: inout [UInt32], _ schedule: inout [UInt32]) {
        for index in 0..<16 {
            schedule[index] = UInt32(bigEndian: block.loadUnaligned(fromByteOffset: index * 4, as: UInt32.self))
        }
        for index in 16..<64 {
            let first = schedule[index - 15]
            let second = schedule[index - 2]
            let low = rotate(first, 7) ^ rotate(first, 18) ^ (first >> 3)
            let high = rotate(second, 17) ^ rotate(second, 19) ^ (second >> 10)
            schedule[index] = schedule[index - 16] &+ low &+ schedule[index - 7] &+ high
        }
        var (a, b, c, d) = (words[0], words[1], words[2], words[3])
        var (e, f, g, h) = (words[4], words[5], words[6], words[7])
        for index in 0..<64 {
            let first =
                h &+ (rotate(e, 6) ^ rotate(e, 11) ^ rotate(e, 25)) &+ ((e & f) ^ (~e & g)) &+ constants[index]
                &+ schedule[index]
            let second = (rotate(a, 2) ^ rotate(a, 13) ^ rotate(a, 22)) &+ ((a & b) ^ (a & c) ^ (b & c))
            (h, g, f, e, d, c, b, a) = (g, f, e, d &+ first, c, b, a, first &+ second)
        }
        for (index, value) in [a, b, c, d, e, f, g, h].enumerated() { words[index] &+= value }
    }

    private static func rotate(_ value: UInt32, _ count: UInt32) -> UInt32 { value >> count | value << (32 - count) }

    private static let constants: [UInt32] = [
        0x428A_2F98, 0x7137_4491, 0xB5C0_FBCF, 0xE9B5_DBA5, 0x3956_C25B, 0x59F1_11F1, 0x923F_82A4, 0xAB1C_5ED5,
        0xD807_AA98, 0x1283_5B01, 0x2431_85BE, 0x550C_7DC3, 0x72BE_5D74, 0x80DE_B1FE, 0x9BDC_06A7, 0xC19B_F174,
        0xE49B_69C1, 0xEFBE_4786, 0x0FC1_9DC6, 0x240C_A1CC, 0x2DE9_2C6F, 0x4A74_84AA, 0x5CB0_A9DC, 0x76F9_88DA,
        0x983E_5152, 0xA831_C66D, 0xB003_27C8, 0xBF59_7FC7, 0xC6E0_0BF3, 0xD5A7_9147, 0x06CA_6351, 0x1429_2967,
        0x27B7_0A85, 0x2E1B_2138, 0x4D2C_6DFC, 0x5338_0D13, 0x650A_7354, 0x766A_0ABB, 0x81C2_C92E, 0x9272_2C85,
        0xA2BF_E8A1, 0xA81A_664B, 0xC24B_8B70, 0xC76C_51A3, 0xD192_E819, 0xD699_0624, 0xF40E_3585, 0x106A_A070,
        0x19A4_C116, 0x1E37_6C08, 0x2748_774C, 0x34B0_BCB5, 0x391C_0CB3, 0x4ED8_AA4A, 0x5B9C_CA4F, 0x682E_6FF3,
        0x748F_82EE, 0x78A5_636F, 0x84C8_7814, 0x8CC7_0208, 0x90BE_FFFA, 0xA450_6CEB, 0xBEF9_A3F7, 0xC671_78F2,
    ]
}
