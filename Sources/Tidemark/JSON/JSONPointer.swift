/// A place inside a JSON value.
///
/// - Source: RFC 6901.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    /// Names and indexes from the outside to the inside, without escapes. Empty: the whole value.
    public var tokens: [String]

    public init(tokens: [String]) {
        self.tokens = tokens
    }

    /// - Returns: nil when the text is neither empty nor begins with `/`, and when it holds a `~` that is neither `~0`
    ///   nor `~1`.
    public init?(_ text: String) {
        tokens = []
        guard let first = text.unicodeScalars.first else { return }
        guard first == "/" else { return nil }
        // By scalars: a slash and a combining mark behind it are one character, and still a slash.
        for part in text.unicodeScalars.dropFirst().split(separator: "/", omittingEmptySubsequences: false) {
            guard let token = JSONPointer.unescaped(part) else { return nil }
            tokens.append(token)
        }
    }

    private static func unescaped(_ part: Substring.UnicodeScalarView) -> String? {
        var token = String.UnicodeScalarView()
        var rest = part
        while let scalar = rest.popFirst() {
            guard scalar == "~" else {
                token.append(scalar)
                continue
            }
            switch rest.popFirst() {
            case "0": token.append("~")
            case "1": token.append("/")
            default: return nil
            }
        }
        return String(token)
    }

    /// The pointer as it is written: `/camera/lenses/0`.
    public var description: String {
        var text = String.UnicodeScalarView()
        for token in tokens {
            text.append("/")
            for scalar in token.unicodeScalars {
                switch scalar {
                case "~": text.append(contentsOf: "~0".unicodeScalars)
                case "/": text.append(contentsOf: "~1".unicodeScalars)
                default: text.append(scalar)
                }
            }
        }
        return String(text)
    }

    /// The element that a token means in an array: digits without a sign and without leading zeros.
    ///
    /// - Returns: nil when it can mean none.
    static func index(_ token: String) -> Int? {
        Int(token).flatMap { index in String(index).utf8.elementsEqual(token.utf8) && index >= 0 ? index : nil }
    }
}
