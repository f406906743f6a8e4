import TidemarkModel

/// Any JSON value: a resource for code that does not know its Swift type.
///
/// ```swift
/// let photo = try JSONValue(parsing: Array(#"{"id":"1","size":18446744073709551615,"tags":["sea"]}"#.utf8))
/// print(photo["size"]?.uint64 ?? 0)  // 18446744073709551615
/// print(photo["tags"]?[0]?.string ?? "")  // sea
/// print(photo.text)  // {"id":"1","size":18446744073709551615,"tags":["sea"]}
/// ```
///
/// Numbers keep their text; members keep their order, and repeated names stay. Strings and names are compared as bytes,
/// so two spellings that Unicode calls equivalent are different strings.
public enum JSONValue: Sendable {
    /// The value `null`.
    case null
    /// A boolean.
    case bool(Bool)
    /// A number with its text.
    case number(JSONNumber)
    /// A string, without escapes.
    case string(String)
    /// The elements of an array.
    case array([JSONValue])
    /// The members of an object, in their order and with repeated names.
    case object([JSONMember])

    /// The largest number of containers that may be open at once by default: 64, as on the wire.
    public static let nestingDepthMax = Limits().nestingDepthMax

    /// Parses a text that is one value, with or without white space around it.
    ///
    /// - Parameters:
    ///   - bytes: The text in UTF-8. An escape of half a surrogate pair, which no string can contain, becomes U+FFFD.
    ///   - nestingDepthMax: The largest number of containers that may be open at once.
    /// - Throws: ``JSONSyntaxError`` at the first wrong byte.
    /// - Complexity: O(bytes.count).
    public init(
        parsing bytes: some Sequence<UInt8>, nestingDepthMax: Int = JSONValue.nestingDepthMax
    ) throws(JSONSyntaxError) {
        let (value, fault) = Array(bytes).withUnsafeBytes { text in
            var scan = JSONScan(text, nestingDepthMax: nestingDepthMax, into: JSONValueBuilder(text))
            return (scan.whole(), scan.fault)
        }
        guard let value else {
            throw JSONSyntaxError(
                byteOffset: fault.offset,
                fault.isTooDeep ? "more than \(nestingDepthMax) containers are open" : fault.message.description)
        }
        self = value
    }

    /// The value of a member; nil when no member has this name, or when this is not an object. Of several members with
    /// the name the last one counts.
    ///
    /// - Complexity: O(members).
    public subscript(name: String) -> JSONValue? {
        members?.last { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The element at an index, from 0; nil when there is none, or when this is not an array.
    public subscript(index: Int) -> JSONValue? {
        guard let elements, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// The value at a JSON Pointer; nil when there is none.
    ///
    /// - Source: RFC 6901.
    public subscript(pointer pointer: JSONPointer) -> JSONValue? {
        pointer.tokens.reduce(Optional(self)) { value, token in
            value?.elements == nil ? value?[token] : JSONPointer.index(token).flatMap { value?[$0] }
        }
    }
}

/// A member of a JSON object: a name and a value.
public struct JSONMember: Sendable {
    /// The name, without escapes.
    public var name: String
    /// The value.
    public var value: JSONValue

    /// Makes a member.
    public init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
    }
}

extension JSONMember: Hashable {
    /// Compares the names as bytes, and the values.
    public static func == (left: JSONMember, right: JSONMember) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8) && left.value == right.value
    }
}

extension JSONValue: Hashable {
    /// Compares two values; the order of members counts, so an object with two members exchanged is a different value.
    public static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): left.utf8.elementsEqual(right.utf8)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        case (.null, _), (.bool, _), (.number, _), (.string, _), (.array, _), (.object, _): false
        }
    }

    /// Hashes the value.
    public func hash(into hasher: inout Hasher) {
        switch self {
        case .null: hasher.combine(0)
        case .bool(let flag): hasher.combine(flag)
        case .number(let number): hasher.combine(number)
        case .string(let string): hasher.combine(string)
        case .array(let elements): hasher.combine(elements)
        case .object(let members): hasher.combine(members)
        }
    }
}
