import Synchronization

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The text that a decoder reads, from which a ``JSONValue`` inside it takes the exact text of its numbers.
/// Foundation's decoder does not give that text.
package final class JSONSource: Sendable {
    package static let key = CodingUserInfoKey.tidemark("source")

    private let bytes: [UInt8]
    private let parsed = Mutex<JSONValue?>(nil)

    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
    }

    /// The whole text as a value, parsed on first use. Null when the text is not JSON; the decoder reports that error
    /// better.
    package var value: JSONValue {
        parsed.withLock { parsed in
            if let parsed { return parsed }
            let value: JSONValue
            do throws(JSONSyntaxError) { value = try JSONValue(parsing: bytes) } catch { value = .null }
            parsed = value
            return value
        }
    }
}

/// Collects the ``JSONValue``s inside a value that is being encoded. A placeholder string takes the place of each until
/// the encoder is done.
///
/// The placeholder is a string and not a coding path, because Foundation's encoder loses the path to values in a
/// dictionary when it converts names.
package final class JSONSink: Sendable {
    package static let key = CodingUserInfoKey.tidemark("sink")

    /// The beginning of each placeholder. It is random, so that no string of a resource begins with it.
    private let mark = "tidemark:\(UInt64.random(in: .min ... .max)):\(UInt64.random(in: .min ... .max)):"
    /// The collected values. Bounded by the value that is encoded.
    private let values = Mutex<[JSONValue]>([])

    package init() {}

    /// Adds a value.
    ///
    /// - Returns: The placeholder to encode in its place.
    package func add(_ value: JSONValue) -> String {
        values.withLock { values in
            values.append(value)
            return mark + String(values.count - 1)
        }
    }

    package var isEmpty: Bool { values.withLock(\.isEmpty) }

    /// Returns the encoded value with every placeholder replaced by its value.
    ///
    /// - Complexity: O(size of the value).
    package func filled(_ value: JSONValue) -> JSONValue {
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
    /// Makes the pointer of a coding path: each key by its number in an array, and by its name in an object.
    ///
    /// - Parameter converting: Returns the name in the value for a key. Not called for a name that the value has as
    ///   declared: that is a key of a dictionary.
    package init(
        _ codingPath: [any CodingKey], in value: JSONValue, converting name: (String) -> String = { $0 }
    ) {
        var tokens: [String] = []
        var place: JSONValue? = value
        for key in codingPath {
            if let elements = place?.elements, let index = key.intValue {
                tokens.append(String(index))
                place = elements.indices.contains(index) ? elements[index] : nil
            } else {
                let declared = key.stringValue
                let own = place?[declared] == nil ? name(declared) : declared
                tokens.append(own)
                place = place?[own]
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
