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

/// Collects the ``JSONValue``s inside what is encoded. A text stands for each of them until the encoder is done.
///
/// A text, and not a place: Foundation's encoder that converts names forgets the way to what is in a dictionary.
final class JSONSink: Sendable {
    static let key = CodingUserInfoKey.tidemark("sink")

    /// How each text begins. Random, so that no string of a resource begins so.
    private let mark = "tidemark:\(UInt64.random(in: .min ... .max)):\(UInt64.random(in: .min ... .max)):"
    /// Bounded by the value that is encoded.
    private let values = Mutex<[JSONValue]>([])

    /// Keeps a value.
    ///
    /// - Returns: The text to write in its place.
    func add(_ value: JSONValue) -> String {
        values.withLock { values in
            values.append(value)
            return mark + String(values.count - 1)
        }
    }

    var isEmpty: Bool { values.withLock(\.isEmpty) }

    /// The encoded value with everything in its place.
    ///
    /// - Complexity: O(size of the value).
    func filled(_ value: JSONValue) -> JSONValue {
        values.withLock { filled(value, $0) }
    }

    private func filled(_ value: JSONValue, _ values: [JSONValue]) -> JSONValue {
        switch value {
        case .string(let text):
            guard text.utf8.starts(with: mark.utf8), let index = Int(Substring(text.utf8.dropFirst(mark.utf8.count))),
                values.indices.contains(index)
            else { return value }
            return values[index]
        case .array(let elements): return .array(elements.map { filled($0, values) })
        case .object(let members): return .object(members.map { JSONMember($0.name, filled($0.value, values)) })
        case .null, .bool, .number: return value
        }
    }
}

extension JSONPointer {
    /// Where a coder is: a key of an array counts by its number, one of an object by its name, whatever else it has.
    ///
    /// - Parameter names: How the value writes them. A name that it has as it is declared is a dictionary's.
    init(_ codingPath: [any CodingKey], in value: JSONValue, _ names: ResourceConventions.Names = .asDeclared) {
        var tokens: [String] = []
        var place: JSONValue? = value
        for key in codingPath {
            if let elements = place?.elements, let index = key.intValue {
                tokens.append(String(index))
                place = elements.indices.contains(index) ? elements[index] : nil
            } else {
                var name = key.stringValue
                if names == .snakeCase, place?[name] == nil { name = SnakeCase.name(name) }
                tokens.append(name)
                place = place?[name]
            }
        }
        self.init(tokens: tokens)
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
