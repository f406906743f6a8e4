/// A place inside a JSON value.
///
/// - Source: RFC 6901.
public struct JSONPointer: Hashable, Sendable, CustomStringConvertible {
    /// Names and indexes from the outside to the inside, without escapes. Empty: the whole value.
    public var tokens: [String]

    public init(tokens: [String]) {
        self.tokens = tokens
    }

    /// - Returns: nil when the text is neither empty nor begins with `/`.
    public init?(_ text: String) {
        if text.isEmpty {
            tokens = []
            return
        }
        guard text.utf8.first == UInt8(ascii: "/") else { return nil }
        tokens = text.split(separator: "/", omittingEmptySubsequences: false).dropFirst().map {
            String($0.replacing("~1", with: "/").replacing("~0", with: "~"))
        }
    }

    /// The pointer as it is written: `/camera/lenses/0`.
    public var description: String {
        tokens.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }
}
