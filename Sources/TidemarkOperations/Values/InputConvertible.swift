import Tidemark

/// A value that can be given to a variable or an input field.
public protocol InputConvertible: Hashable, Sendable {
    var jsonValue: JSONValue { get }
}

/// A scalar, an enum or an object as a field of data has it: read from JSON, and written to it.
public protocol SelectionValue: InputConvertible {
    /// Reads one value, and leaves the reader behind it.
    init(reading value: inout ValueReader) throws(SelectionError)
}

/// An input type of a schema; its absent fields are left out.
public protocol TypedInput: InputConvertible {
    /// Adds the fields that are given.
    func write(to object: inout InputWriter)
}

extension TypedInput {
    public var jsonValue: JSONValue {
        var writer = InputWriter()
        write(to: &writer)
        return writer.value
    }
}

/// The members of an input object, or of the variables of an operation.
public struct InputWriter {
    private var members: [JSONMember] = []

    public init() {}

    public var value: JSONValue { .object(members) }

    /// Adds a member.
    public mutating func write(_ name: String, _ value: some InputConvertible) {
        members.append(JSONMember(name, value.jsonValue))
    }

    /// Adds a member unless it is absent.
    public mutating func write<Value>(_ name: String, _ value: GraphQLNullable<Value>) {
        if let json = value.json { members.append(JSONMember(name, json)) }
    }
}

/// An enum of a schema. A value that the schema did not have when the code was generated is `unknown`.
public protocol TypedEnumeration: SelectionValue, RawRepresentable where RawValue == String {
    /// The values of the schema, in its order.
    static var knownCases: [Self] { get }

    init(rawValue: String)
}

extension TypedEnumeration {
    @inlinable
    public init(reading value: inout ValueReader) throws(SelectionError) {
        self.init(rawValue: try value.string())
    }

    public var jsonValue: JSONValue { .string(rawValue) }
}
