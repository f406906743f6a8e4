import TidemarkModel

/// Converts between library ids and subjects.
///
/// A subject is a prefix, a dot, and a token: the library's id as UTF-8 in base32, lower case and unpadded, or `_` for
/// the empty id.
///
/// ```swift
/// print(LibrarySubject.subject(prefix: "tidemark", "photos"))  // tidemark.obug65dpom
/// print(LibrarySubject.library(ofSubject: "tidemark.obug65dpom", prefix: "tidemark") == "photos")  // true
/// ```
///
/// - Source: Protocol/jetstream.md, subjects; RFC 4648, section 6.
public enum LibrarySubject {
    private static let digits = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// Returns the token of a library: the part of its subject after the prefix.
    ///
    /// - Complexity: O(length of the id).
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

    /// Returns the library that a token encodes; nil if ``token(of:)`` returns that token for no library.
    public static func library(of token: some StringProtocol) -> ByteString? {
        var bytes: [UInt8] = []
        let isToken = Array(token.utf8).withUnsafeBytes { decode($0, into: &bytes) }
        return isToken ? ByteString(bytes) : nil
    }

    /// Decodes a token into the id of its library.
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
        // A token with a digit too many, or with bits set after the last byte, would be a second spelling of the id.
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
