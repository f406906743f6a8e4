/// A JSON Pointer, split into tokens and followed step by step.
///
/// - Source: RFC 6901.
package struct ReferencePointer {
    /// The tokens as bytes rather than text: like member names, they may contain half a surrogate pair.
    private let tokens: [[UInt8]]

    /// Splits a pointer into its tokens.
    ///
    /// - Parameter text: A valid pointer, without JSON escapes.
    package init(_ text: [UInt8]) {
        tokens = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst().map(Array.init)
    }

    /// Returns the value that the pointer names in `root`; nil if there is none.
    package func value(in root: ReferenceJSON) -> ReferenceJSON? {
        var value: ReferenceJSON? = root
        for token in tokens {
            switch value {
            case .object?:
                value = value?.member(Self.unescaped(token))
            case .array(let elements)?:
                // "01", "-" and "+1" are not indexes; an index is spelled like a printed number.
                value = Int(String(decoding: token, as: UTF8.self)).flatMap { index in
                    Array(String(index).utf8) == token && elements.indices.contains(index) ? elements[index] : nil
                }
            default: return nil
            }
        }
        return value
    }

    private static func unescaped(_ token: [UInt8]) -> [UInt8] {
        var result: [UInt8] = []
        var isEscape = false
        for byte in token {
            if isEscape {
                result.append(byte == UInt8(ascii: "0") ? UInt8(ascii: "~") : UInt8(ascii: "/"))
                isEscape = false
            } else if byte == UInt8(ascii: "~") {
                isEscape = true
            } else {
                result.append(byte)
            }
        }
        return result
    }
}
