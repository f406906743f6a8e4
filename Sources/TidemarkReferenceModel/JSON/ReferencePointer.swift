/// A JSON Pointer, split into tokens and followed step by step.
///
/// - Source: RFC 6901.
package struct ReferencePointer {
    /// The tokens as bytes, not text: a rule's pointer may hold half a surrogate pair, as names of members may.
    private let tokens: [[UInt8]]

    /// - Parameter text: A valid pointer without the escapes of JSON.
    package init(_ text: [UInt8]) {
        tokens = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst().map(Array.init)
    }

    /// The value that the pointer names in `root`; nil when there is none.
    package func value(in root: ReferenceJSON) -> ReferenceJSON? {
        var value: ReferenceJSON? = root
        for token in tokens {
            switch value {
            case .object?:
                value = value?.member(Self.unescaped(token))
            case .array(let elements)?:
                // "01", "-" and "+1" are not indexes; an index has the spelling of a printed number.
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
