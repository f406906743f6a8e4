extension JSONValue {
    /// The value of an integer as an `Int`; nil for other kinds, and for numbers with a fraction or an exponent.
    public var int: Int? { number?.int }

    /// The value of an integer as an `Int64`; nil for other kinds, and for numbers with a fraction or an exponent.
    public var int64: Int64? { number?.int64 }

    /// The value of a non-negative integer as a `UInt64`, exact also above 2^53; nil for everything else.
    public var uint64: UInt64? { number?.uint64 }

    /// The `Double` nearest to a number; nil for everything else.
    public var double: Double? { number?.double }

    /// A number with its text; nil for everything else.
    public var number: JSONNumber? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    /// The text of a string; nil for everything else, including numbers.
    public var string: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    /// The value of a boolean; nil for everything else.
    public var bool: Bool? {
        guard case .bool(let flag) = self else { return nil }
        return flag
    }

    public var isNull: Bool { self == .null }

    /// The elements of an array; nil for everything else.
    public var elements: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members of an object in their order; nil for everything else.
    public var members: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    public init(nilLiteral: ()) {
        self = .null
    }

    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    public init(integerLiteral value: Int64) {
        self = .number(JSONNumber(value))
    }

    /// - Precondition: The value is finite. Its text is the shortest one: `1.10` gives `1.1`.
    public init(floatLiteral value: Double) {
        guard let number = JSONNumber(value) else { preconditionFailure("JSON has no text for \(value)") }
        self = .number(number)
    }

    public init(stringLiteral value: String) {
        self = .string(value)
    }

    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    /// Members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { JSONMember($0.0, $0.1) })
    }
}
