import TidemarkJSON

/// A value that can be passed in a variable or an input field.
public protocol InputConvertible: Hashable, Sendable {
    /// The value as JSON.
    var jsonValue: JSONValue { get }
}

/// A value that a field of data can have: a scalar, an enum, an object, or a list. It is read from JSON and written to
/// it.
public protocol SelectionValue: InputConvertible {
    /// Reads one value and moves the reader past it.
    ///
    /// - Throws: ``SelectionError`` if the next value does not fit.
    init(reading value: inout ValueReader) throws(SelectionError)
}

/// A generated input type. Absent fields are not sent.
public protocol TypedInput: InputConvertible {
    /// Adds the fields that are not absent.
    func write(to object: inout InputWriter)
}

extension TypedInput {
    /// The fields that are not absent, as an object.
    public var jsonValue: JSONValue {
        var writer = InputWriter()
        write(to: &writer)
        return writer.value
    }
}

/// Collects the members of an input object, or the variables of an operation.
public struct InputWriter {
    private var members: [JSONMember] = []

    /// Creates an empty object.
    public init() {}

    /// The members so far, as a JSON object.
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

/// A generated enum. A value that the schema did not have when the code was generated becomes `unknown`.
public protocol TypedEnumeration: SelectionValue, RawRepresentable where RawValue == String {
    /// The values of the schema, in its order.
    static var knownCases: [Self] { get }

    /// Creates the case of a value; `unknown` for a value that the schema did not have.
    init(rawValue: String)
}

extension TypedEnumeration {
    /// Reads a string as a value of the enum.
    @inlinable
    public init(reading value: inout ValueReader) throws(SelectionError) {
        self.init(rawValue: try value.string())
    }

    /// The value as a string.
    public var jsonValue: JSONValue { .string(rawValue) }
}
