import TidemarkModel

/// The value of a `Content-Type` header: a type and its parameters.
///
/// - Source: RFC 9110, section 8.3.1.
package struct MediaType: Hashable, Sendable {
    /// The type and subtype in lowercase, such as `multipart/mixed`.
    package let name: String
    /// The parameters by their names in lowercase. Of repeated parameters the first one counts.
    package let parameters: [String: String]

    private static let parameterCountMax = 32

    /// Parses the value of a `Content-Type` header.
    ///
    /// - Returns: nil if the text is not a media type, is longer than 8 KiB, or has more than 32 parameters.
    /// - Complexity: O(text).
    package init?(_ text: ByteString) {
        guard text.bytes.count <= 8_192, let text = String(validating: text.bytes, as: UTF8.self) else { return nil }
        var rest = text.utf8[...]
        let name = MediaType.token(&rest, and: UInt8(ascii: "/"))
        guard name.utf8.count(where: { $0 == UInt8(ascii: "/") }) == 1, !name.hasPrefix("/"), !name.hasSuffix("/")
        else {
            return nil
        }
        var parameters: [String: String] = [:]
        while true {
            MediaType.skipSpace(&rest)
            guard let separator = rest.popFirst() else { break }
            guard separator == UInt8(ascii: ";") else { return nil }
            MediaType.skipSpace(&rest)
            // An empty parameter, as in `a/b;`, is legal.
            if rest.isEmpty || rest.first == UInt8(ascii: ";") { continue }
            let key = MediaType.token(&rest)
            guard !key.isEmpty, rest.popFirst() == UInt8(ascii: "=") else { return nil }
            guard let value = MediaType.value(&rest), parameters.count < MediaType.parameterCountMax else { return nil }
            if parameters[key.lowercased()] == nil { parameters[key.lowercased()] = value }
        }
        self.name = name.lowercased()
        self.parameters = parameters
    }

    /// True if a body of this type is JSON.
    package var isJSON: Bool { name == "application/json" || name.hasSuffix("+json") }

    private static func skipSpace(_ rest: inout Substring.UTF8View.SubSequence) {
        while let byte = rest.first, byte == 0x20 || byte == 0x09 { rest.removeFirst() }
    }

    private static func token(_ rest: inout Substring.UTF8View.SubSequence, and extra: UInt8? = nil) -> String {
        let token = rest.prefix { isToken($0) || $0 == extra }
        rest = rest[token.endIndex...]
        return String(decoding: token, as: UTF8.self)
    }

    private static func isToken(_ byte: UInt8) -> Bool {
        byte > 0x20 && byte < 0x7F && !"\"(),/:;<=>?@[\\]{}".utf8.contains(byte)
    }

    private static func value(_ rest: inout Substring.UTF8View.SubSequence) -> String? {
        guard rest.first == UInt8(ascii: "\"") else {
            // Servers write `deferSpec=20220824` and `boundary=---` without quotes; such a value ends at a space.
            let value = rest.prefix { $0 != UInt8(ascii: ";") && $0 > 0x20 }
            rest = rest[value.endIndex...]
            return value.isEmpty ? nil : String(decoding: value, as: UTF8.self)
        }
        rest.removeFirst()
        var value: [UInt8] = []
        while let byte = rest.popFirst() {
            switch byte {
            case UInt8(ascii: "\""): return String(decoding: value, as: UTF8.self)
            case UInt8(ascii: "\\"):
                guard let escaped = rest.popFirst() else { return nil }
                value.append(escaped)
            default: value.append(byte)
            }
        }
        return nil
    }
}
