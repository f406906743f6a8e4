/// A place inside a JSON value.
///
/// ```swift
/// let photo = try JSONValue(parsing: Array(#"{"camera":{"lenses":["50 mm"]}}"#.utf8))
/// if let pointer = JSONPointer("/camera/lenses/0") { print(photo[pointer: pointer]?.string ?? "") }  // 50 mm
/// ```
///
/// - Source: RFC 6901.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    /// The names and indexes from the outside to the inside, without escapes. Empty for the whole value.
    public var tokens: [String]

    /// Makes a pointer of its unescaped tokens.
    public init(tokens: [String]) {
        self.tokens = tokens
    }

    /// Parses a pointer.
    ///
    /// - Parameter text: Empty for the whole value, or tokens that each follow a `/`, with `~1` for `/` and `~0` for
    ///   `~`.
    /// - Returns: nil when the text is not empty and does not begin with `/`, or has a `~` that is neither `~0` nor
    ///   `~1`.
    public init?(_ text: String) {
        tokens = []
        guard let first = text.unicodeScalars.first else { return }
        guard first == "/" else { return nil }
        // The text is split by scalars: a slash and a combining mark after it are one character, but the slash still
        // separates.
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

    /// The pointer as text, such as `/camera/lenses/0`.
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

    /// Returns the array index of a token: digits without a sign and without leading zeros.
    ///
    /// - Returns: nil when the token is not an index.
    package static func index(_ token: String) -> Int? {
        Int(token).flatMap { index in String(index).utf8.elementsEqual(token.utf8) && index >= 0 ? index : nil }
    }
}
