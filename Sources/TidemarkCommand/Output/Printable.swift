import TidemarkModel

/// Makes text from outside safe to print on a terminal.
///
/// An id may contain an escape sequence that would recolour, overwrite or retitle the user's terminal. The JSON output
/// does not need this, because JSON escapes control characters.
enum Printable {
    /// Replaces control characters, including C1, by U+FFFD.
    static func text(_ text: String) -> String {
        guard text.unicodeScalars.contains(where: isControl) else { return text }
        var result = String.UnicodeScalarView()
        for scalar in text.unicodeScalars { result.append(isControl(scalar) ? "\u{FFFD}" : scalar) }
        return String(result)
    }

    static func text(_ bytes: ByteString) -> String { text(bytes.description) }

    static func text(_ bytes: [UInt8]) -> String { text(String(decoding: bytes, as: UTF8.self)) }

    /// Returns at most `count` characters, with an ellipsis in place of the rest.
    static func excerpt(_ text: String, count: Int) -> String {
        text.count <= count ? text : text.prefix(max(0, count - 1)) + "…"
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7F...0x9F).contains(scalar.value)
    }
}
