/// Checks whether bytes are UTF-8, by the table of RFC 3629.
package enum ReferenceUTF8 {
    /// Returns true if `bytes` is well-formed: no overlong form, no surrogate, nothing above U+10FFFF, nothing cut off.
    ///
    /// - Complexity: O(bytes.count).
    package static func isValid(_ bytes: [UInt8]) -> Bool {
        var index = 0
        while index < bytes.count {
            let lead = bytes[index]
            let followerCount: Int
            var secondRange: ClosedRange<UInt8> = 0x80...0xBF
            switch lead {
            case 0x00...0x7F: followerCount = 0
            case 0xC2...0xDF: followerCount = 1
            case 0xE0: (followerCount, secondRange) = (2, 0xA0...0xBF)
            case 0xED: (followerCount, secondRange) = (2, 0x80...0x9F)
            case 0xE1...0xEF: followerCount = 2
            case 0xF0: (followerCount, secondRange) = (3, 0x90...0xBF)
            case 0xF1...0xF3: followerCount = 3
            case 0xF4: (followerCount, secondRange) = (3, 0x80...0x8F)
            default: return false
            }
            guard index + followerCount < bytes.count else { return false }
            for step in 0..<followerCount {
                let follower = bytes[index + 1 + step]
                let allowed = step == 0 ? secondRange : 0x80...0xBF
                guard allowed.contains(follower) else { return false }
            }
            index += followerCount + 1
        }
        return true
    }
}
