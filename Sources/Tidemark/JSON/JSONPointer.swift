/// A place inside a JSON value.
///
/// - Source: RFC 6901.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    /// The names and indexes from the outside to the inside, without escapes. Empty: the pointer names the whole value.
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
        // Split by scalars: a slash and a combining mark after it are one character, but the slash still separates.
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

    /// The pointer as text: `/camera/lenses/0`.
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

    /// Returns the array index that a token names: digits without a sign and without leading zeros.
    ///
    /// - Returns: nil when the token is not an index.
    static func index(_ token: String) -> Int? {
        Int(token).flatMap { index in String(index).utf8.elementsEqual(token.utf8) && index >= 0 ? index : nil }
    }
}
