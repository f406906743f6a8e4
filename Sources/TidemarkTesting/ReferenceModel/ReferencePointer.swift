/// A JSON Pointer, taken apart and followed step by step.
///
/// - Source: RFC 6901.
package struct ReferencePointer {
    private let tokens: [String]

    /// - Parameter text: A valid pointer in UTF-8, without the escapes of JSON.
    package init(_ text: [UInt8]) {
        tokens = text.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
            .map { String(decoding: $0, as: UTF8.self) }
    }

    /// The value it leads to, nil when it leads nowhere.
    package func value(in root: ReferenceJSON) -> ReferenceJSON? {
        var value: ReferenceJSON? = root
        for token in tokens {
            switch value {
            case .object?:
                value = value?.member(Self.unescaped(token))
            case .array(let elements)?:
                // "01", "-" and "+1" are no index; an index is written as a number prints.
                value = Int(token).flatMap { index in
                    String(index) == token && elements.indices.contains(index) ? elements[index] : nil
                }
            default: return nil
            }
        }
        return value
    }

    private static func unescaped(_ token: String) -> String {
        var result = ""
        var isEscape = false
        for scalar in token.unicodeScalars {
            if isEscape {
                result.unicodeScalars.append(scalar == "0" ? "~" : "/")
                isEscape = false
            } else if scalar == "~" {
                isEscape = true
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result
    }
}
