import TidemarkGraphQLLanguage
import TidemarkJSON
import TidemarkModel

/// Reads the arguments in a field's name.
struct ApolloArguments {
    let schema: GraphQLSchema?
    /// How deeply objects and lists may be nested.
    private static let depthMax = 16

    /// Reads `name:value` pairs with commas between them. An object is written as `[name:pairs]`, by newer versions as
    /// `name:[pairs]`; a list as `name:[a, b]`.
    func object(
        _ text: ArraySlice<UInt8>, _ inputs: SchemaInputs?, depth: Int
    ) -> [ByteString: InputValue]? {
        guard depth < Self.depthMax, let parts = Self.split(text, at: ",") else { return nil }
        var values: [ByteString: InputValue] = [:]
        for part in parts {
            let isWrapped = part.first == UInt8(ascii: "[") && part.last == UInt8(ascii: "]")
            let pair = isWrapped ? part.dropFirst().dropLast() : part
            guard let colon = pair.firstIndex(of: UInt8(ascii: ":")), colon > pair.startIndex else { return nil }
            let name = ByteString(pair[..<colon])
            guard Self.isName(name), values[name] == nil else { return nil }
            let input = inputs?[name]
            if inputs != nil, input == nil { return nil }
            let written = pair[(colon + 1)...]
            let value: InputValue?
            if isWrapped {
                value = object(written, fields(of: input?.type), depth: depth + 1).map { .object($0) }
            } else {
                value = self.value(written, input?.type, depth: depth + 1)
            }
            guard let value else { return nil }
            values[name] = value
        }
        return values
    }

    private func value(
        _ text: ArraySlice<UInt8>, _ type: SchemaTypeReference?, depth: Int
    ) -> InputValue? {
        guard text.first == UInt8(ascii: "["), text.last == UInt8(ascii: "]") else { return scalar(text, type) }
        let inner = text.dropFirst().dropLast()
        if inner.isEmpty { return .list([]) }
        let isList = type?.isList ?? !inner.contains(UInt8(ascii: ":"))
        if !isList { return object(inner, fields(of: type), depth: depth).map { .object($0) } }
        // The elements of a list of objects run into each other: nobody can tell where one ends.
        guard !inner.contains(UInt8(ascii: ":")), let parts = Self.split(inner, at: ",") else { return nil }
        var elements: [InputValue] = []
        for part in parts {
            guard let element = scalar(part.drop { $0 == UInt8(ascii: " ") }, type?.element) else { return nil }
            elements.append(element)
        }
        return .list(elements)
    }

    private func scalar(_ text: ArraySlice<UInt8>, _ type: SchemaTypeReference?) -> InputValue? {
        let word = ByteString(text)
        if word == "null" || word == "<null>" { return .null }
        let isNumber = JSONNumber(word.description) != nil
        guard let schema, let type else {
            if word == "true" || word == "false" { return .boolean(word == "true") }
            return isNumber ? .number(word) : .string(word)
        }
        switch schema[type.named].name {
        case "Int", "Float": return isNumber ? .number(word) : nil
        case "Boolean":
            switch word {
            case "true", "1": return .boolean(true)
            case "false", "0": return .boolean(false)
            default: return nil
            }
        default: return .string(word)
        }
    }

    /// Returns the fields of an input type; nil if the type is unknown.
    private func fields(of type: SchemaTypeReference?) -> SchemaInputs? {
        guard let schema, let type, schema[type.named].kind == .input else { return nil }
        return schema[type.named].inputs
    }

    private static func isName(_ name: ByteString) -> Bool {
        name.bytes.enumerated().allSatisfy { index, byte in
            byte == UInt8(ascii: "_") || 0x61...0x7A ~= byte | 0x20 || index > 0 && 0x30...0x39 ~= byte
        }
    }

    /// Splits a text at a separator outside of brackets; nil if brackets do not match.
    private static func split(_ text: ArraySlice<UInt8>, at separator: Unicode.Scalar) -> [ArraySlice<UInt8>]? {
        var parts: [ArraySlice<UInt8>] = []
        var (start, depth) = (text.startIndex, 0)
        for index in text.indices {
            switch text[index] {
            case UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "]"):
                depth -= 1
                if depth < 0 { return nil }
            case UInt8(ascii: separator) where depth == 0:
                parts.append(text[start..<index])
                start = index + 1
            default: continue
            }
        }
        guard depth == 0 else { return nil }
        return parts + [text[start...]]
    }
}

extension SchemaTypeReference {
    /// The type of the elements of a list; the type itself if it is no list.
    fileprivate var element: SchemaTypeReference {
        if case .list(let element) = nullable { element } else { self }
    }
}
