import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// What a decoder reads, for ``JSONValue``s inside it: Foundation's decoder gives away no number's text.
final class JSONSource: Sendable {
    static let key = CodingUserInfoKey.tidemark("source")

    private let bytes: [UInt8]
    private let parsed = Mutex<JSONValue?>(nil)

    init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The whole text; parsed only when something asks. Null when it is no JSON, which the decoder says better.
    var value: JSONValue {
        parsed.withLock { parsed in
            if let parsed { return parsed }
            let value: JSONValue
            do throws(JSONSyntaxError) { value = try JSONValue(parsing: bytes) } catch { value = .null }
            parsed = value
            return value
        }
    }
}

/// Collects the ``JSONValue``s inside what is encoded, which then take the places of nulls.
final class JSONSink: Sendable {
    static let key = CodingUserInfoKey.tidemark("sink")

    /// Bounded by the value that is encoded.
    private let places = Mutex<[(path: [any CodingKey], value: JSONValue)]>([])

    func add(_ value: JSONValue, at path: [any CodingKey]) {
        places.withLock { $0.append((path, value)) }
    }

    var isEmpty: Bool { places.withLock(\.isEmpty) }

    /// The encoded value with everything in its place.
    func filled(_ value: JSONValue) -> JSONValue {
        places.withLock { places in
            places.reduce(value) { $0.replacing(JSONPointer($1.path, in: value).tokens[...], with: $1.value) }
        }
    }
}

extension JSONPointer {
    /// Where a coder is: a key of an array counts by its number, one of an object by its name, whatever else it has.
    init(_ codingPath: [any CodingKey], in value: JSONValue) {
        var tokens: [String] = []
        var place: JSONValue? = value
        for key in codingPath {
            if let elements = place?.elements, let index = key.intValue {
                tokens.append(String(index))
                place = elements.indices.contains(index) ? elements[index] : nil
            } else {
                tokens.append(key.stringValue)
                place = place?[key.stringValue]
            }
        }
        self.init(tokens: tokens)
    }
}

extension JSONValue {
    fileprivate func replacing(_ tokens: ArraySlice<String>, with value: JSONValue) -> JSONValue {
        guard let token = tokens.first else { return value }
        let rest = tokens.dropFirst()
        switch self {
        case .array(var elements):
            guard let index = Int(token), elements.indices.contains(index) else { return self }
            elements[index] = elements[index].replacing(rest, with: value)
            return .array(elements)
        case .object(let members):
            return .object(
                members.map { $0.name == token ? JSONMember($0.name, $0.value.replacing(rest, with: value)) : $0 })
        case .null, .bool, .number, .string: return self
        }
    }
}

extension CodingUserInfoKey {
    fileprivate static func tidemark(_ name: String) -> CodingUserInfoKey {
        guard let key = CodingUserInfoKey(rawValue: "tidemark." + name) else {
            preconditionFailure("no key \(name)")
        }
        return key
    }
}
