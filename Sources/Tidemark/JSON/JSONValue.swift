import TidemarkModel

/// Any JSON value: the view of a resource for whom its type is not known.
///
/// ```swift
/// let photo = try JSONValue(parsing: Array(#"{"id":"1","size":18446744073709551615,"tags":["sea"]}"#.utf8))
/// print(photo["size"]?.uint64 ?? 0)  // 18446744073709551615
/// print(photo["tags"]?[0]?.string ?? "")  // sea
/// print(photo.text)  // {"id":"1","size":18446744073709551615,"tags":["sea"]}
/// ```
///
/// Numbers keep their text, members their order and their repetitions. Strings and names are compared as bytes: two
/// spellings that Unicode holds for equivalent are two strings.
public enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object([JSONMember])

    /// Containers that may be open at once: 64, as on the wire.
    public static let nestingDepthMax = Limits().nestingDepthMax

    /// Reads a text that holds one value, with white space around it or not.
    ///
    /// - Parameters:
    ///   - bytes: UTF-8. Escapes of half a surrogate pair, which no text can hold, become U+FFFD.
    ///   - nestingDepthMax: Containers that may be open at once.
    /// - Throws: ``JSONSyntaxError`` at the first byte that is wrong.
    /// - Complexity: O(bytes.count).
    public init(
        parsing bytes: some Sequence<UInt8>, nestingDepthMax: Int = JSONValue.nestingDepthMax
    ) throws(JSONSyntaxError) {
        var parser = JSONValueParser(Array(bytes), nestingDepthMax: nestingDepthMax)
        self = try parser.whole()
    }

    /// The last member of that name; nil when there is none, or this is no object.
    ///
    /// - Complexity: O(members).
    public subscript(name: String) -> JSONValue? {
        members?.last { $0.name.utf8.elementsEqual(name.utf8) }?.value
    }

    /// The element at an index from 0; nil when there is none, or this is no array.
    public subscript(index: Int) -> JSONValue? {
        guard let elements, elements.indices.contains(index) else { return nil }
        return elements[index]
    }

    /// What a JSON Pointer leads to; nil when it leads nowhere.
    ///
    /// - Source: RFC 6901.
    public subscript(pointer pointer: JSONPointer) -> JSONValue? {
        pointer.tokens.reduce(Optional(self)) { value, token in
            value?.elements == nil ? value?[token] : JSONPointer.index(token).flatMap { value?[$0] }
        }
    }
}

/// One member of a JSON object.
public struct JSONMember: Sendable {
    public var name: String
    public var value: JSONValue

    public init(_ name: String, _ value: JSONValue) {
        self.name = name
        self.value = value
    }
}

extension JSONMember: Hashable {
    public static func == (left: JSONMember, right: JSONMember) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8) && left.value == right.value
    }
}

extension JSONValue: Hashable {
    /// Members count in their order: an object with two of them exchanged is another one.
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
