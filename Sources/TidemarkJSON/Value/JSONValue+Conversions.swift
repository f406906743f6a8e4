extension JSONValue {
    /// The value of a number as an `Int`; nil for other kinds, for numbers with a fraction or an exponent, and when it
    /// does not fit.
    public var int: Int? { number?.int }

    /// The value of a number as an `Int64`; nil for other kinds, for numbers with a fraction or an exponent, and when
    /// it does not fit.
    public var int64: Int64? { number?.int64 }

    /// The value of a non-negative integer as a `UInt64`, exact above 2^53 too; nil for everything else.
    public var uint64: UInt64? { number?.uint64 }

    /// The `Double` nearest to a number, infinite if the number is too large; nil for other kinds.
    public var double: Double? { number?.double }

    /// A number with its text; nil for other kinds.
    public var number: JSONNumber? {
        guard case .number(let number) = self else { return nil }
        return number
    }

    /// The text of a string; nil for other kinds, numbers included.
    public var string: String? {
        guard case .string(let string) = self else { return nil }
        return string
    }

    /// The value of a boolean; nil for other kinds.
    public var bool: Bool? {
        guard case .bool(let flag) = self else { return nil }
        return flag
    }

    /// True if the value is null.
    public var isNull: Bool { self == .null }

    /// The elements of an array; nil for other kinds.
    public var elements: [JSONValue]? {
        guard case .array(let elements) = self else { return nil }
        return elements
    }

    /// The members of an object, in their order and with repeated names; nil for other kinds.
    public var members: [JSONMember]? {
        guard case .object(let members) = self else { return nil }
        return members
    }
}

extension JSONValue: ExpressibleByNilLiteral, ExpressibleByBooleanLiteral, ExpressibleByIntegerLiteral,
    ExpressibleByFloatLiteral, ExpressibleByStringLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    /// Makes null.
    public init(nilLiteral: ()) {
        self = .null
    }

    /// Makes a boolean.
    public init(booleanLiteral value: Bool) {
        self = .bool(value)
    }

    /// Makes a number of an integer literal.
    public init(integerLiteral value: Int64) {
        self = .number(JSONNumber(value))
    }

    /// Makes a number of a literal with a fraction. Its text is the shortest one: `1.10` becomes `1.1`.
    ///
    /// - Precondition: The value is finite.
    public init(floatLiteral value: Double) {
        guard let number = JSONNumber(value) else { preconditionFailure("JSON has no text for \(value)") }
        self = .number(number)
    }

    /// Makes a string.
    public init(stringLiteral value: String) {
        self = .string(value)
    }

    /// Makes an array.
    public init(arrayLiteral elements: JSONValue...) {
        self = .array(elements)
    }

    /// Makes an object with its members in the order of the literal.
    public init(dictionaryLiteral elements: (String, JSONValue)...) {
        self = .object(elements.map { JSONMember($0.0, $0.1) })
    }
}
