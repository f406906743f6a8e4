import Tidemark

/// The value of a variable or an input field that need not be given: *absent* and *null* are different to a server.
///
/// ```swift
/// ReviewInput(stars: 5, commentary: .null)  // clears the commentary
/// ReviewInput(stars: 5)  // leaves it alone
/// ```
///
/// The literal `nil` is `absent`; other literals are values.
public indirect enum GraphQLNullable<Wrapped: InputConvertible>: Hashable, Sendable {
    case absent
    case null
    case value(Wrapped)

    /// A value, or `absent` for nil.
    public init(_ value: Wrapped?) {
        self = value.map(GraphQLNullable.value) ?? .absent
    }

    /// The value; nil for `absent` and `null`.
    public var value: Wrapped? {
        if case .value(let value) = self { value } else { nil }
    }

    /// The JSON of the value; nil when it is absent.
    public var json: JSONValue? {
        switch self {
        case .absent: nil
        case .null: .some(.null)
        case .value(let value): value.jsonValue
        }
    }
}

extension GraphQLNullable: ExpressibleByNilLiteral {
    public init(nilLiteral: ()) { self = .absent }
}

extension GraphQLNullable: ExpressibleByBooleanLiteral where Wrapped == Bool {
    public init(booleanLiteral value: Bool) { self = .value(value) }
}

extension GraphQLNullable: ExpressibleByIntegerLiteral where Wrapped == Int {
    public init(integerLiteral value: Int) { self = .value(value) }
}

extension GraphQLNullable: ExpressibleByFloatLiteral where Wrapped == Double {
    public init(floatLiteral value: Double) { self = .value(value) }
}

extension GraphQLNullable: ExpressibleByUnicodeScalarLiteral where Wrapped == String {
    public init(unicodeScalarLiteral value: String) { self = .value(value) }
}

extension GraphQLNullable: ExpressibleByExtendedGraphemeClusterLiteral where Wrapped == String {
    public init(extendedGraphemeClusterLiteral value: String) { self = .value(value) }
}

extension GraphQLNullable: ExpressibleByStringLiteral where Wrapped == String {
    public init(stringLiteral value: String) { self = .value(value) }
}
