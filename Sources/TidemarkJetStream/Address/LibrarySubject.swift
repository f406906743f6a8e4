import TidemarkModel

/// The subject of a library: a prefix, a dot, and the library's id in unpadded base32 of its UTF-8 bytes, in lower
/// case;
/// `_` for the empty id.
///
/// - Source: Protocol/jetstream.md, subjects; RFC 4648, section 6.
public enum LibrarySubject {
    private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// Returns the token of a library.
    ///
    /// - Complexity: O(id).
    public static func token(of library: ByteString) -> String {
        guard !library.bytes.isEmpty else { return "_" }
        var text: [UInt8] = []
        var bits: UInt32 = 0
        var bitCount = 0
        for byte in library.bytes {
            bits = bits << 8 | UInt32(byte)
            bitCount += 8
            while bitCount >= 5 {
                bitCount -= 5
                text.append(digits[Int(bits >> UInt32(bitCount)) & 31])
            }
            bits &= 1 << UInt32(bitCount) - 1
        }
        if bitCount > 0 { text.append(digits[Int(bits << UInt32(5 - bitCount)) & 31]) }
        return String(decoding: text, as: UTF8.self)
    }

    /// Returns the library of a token; nil when the token is not one that ``token(of:)`` returns.
    public static func library(of token: some StringProtocol) -> ByteString? {
        var bytes: [UInt8] = []
        let isToken = Array(token.utf8).withUnsafeBytes { decode($0, into: &bytes) }
        return isToken ? ByteString(bytes) : nil
    }

    /// Writes the id of a token's library.
    ///
    /// - Parameter bytes: Gets the id; its memory is used again, so that nothing is allocated for each message.
    /// - Returns: false when the token is not one that ``token(of:)`` returns.
    /// - Complexity: O(token).
    static func decode(_ token: UnsafeRawBufferPointer, into bytes: inout [UInt8]) -> Bool {
        bytes.removeAll(keepingCapacity: true)
        if token.count == 1, token[0] == UInt8(ascii: "_") { return true }
        var bits: UInt32 = 0
        var bitCount = 0
        for digit in token {
            let value: UInt32
            switch digit {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): value = UInt32(digit - UInt8(ascii: "a"))
            case UInt8(ascii: "2")...UInt8(ascii: "7"): value = UInt32(digit - UInt8(ascii: "2")) + 26
            default: return false
            }
            bits = bits << 5 | value
            bitCount += 5
            if bitCount >= 8 {
                bitCount -= 8
                bytes.append(UInt8(truncatingIfNeeded: bits >> UInt32(bitCount)))
                bits &= 1 << UInt32(bitCount) - 1
            }
        }
        // A longer token than the bytes need, or bits behind the last byte, would be a second spelling.
        return !bytes.isEmpty && bitCount < 5 && bits == 0
    }

    /// Returns the subject of a library under a prefix.
    public static func subject(prefix: String, _ library: ByteString) -> String { "\(prefix).\(token(of: library))" }

    /// Returns the library of a subject; nil when the subject is not one of the prefix.
    public static func library(ofSubject subject: String, prefix: String) -> ByteString? {
        let (bytes, head) = (Array(subject.utf8), Array("\(prefix).".utf8))
        guard bytes.starts(with: head) else { return nil }
        var library: [UInt8] = []
        let isSubject = bytes.withUnsafeBytes {
            decode(UnsafeRawBufferPointer(rebasing: $0[head.count...]), into: &library)
        }
        return isSubject ? ByteString(library) : nil
    }
}
