import TidemarkJSON

/// The value of a variable or input field that may be left out: to a server, *absent* and *null* are different.
///
/// ```swift
/// struct ReviewInput: TypedInput {
///     var stars: Int
///     var commentary: GraphQLNullable<String> = nil
///     func write(to object: inout InputWriter) {
///         object.write("stars", stars)
///         object.write("commentary", commentary)
///     }
/// }
/// print(ReviewInput(stars: 5, commentary: .null).jsonValue.text)  // null clears the commentary
/// print(ReviewInput(stars: 5).jsonValue.text)  // without the field, the server leaves it alone
/// ```
///
/// The literal `nil` is `absent`; other literals are values.
public indirect enum GraphQLNullable<Wrapped: InputConvertible>: Hashable, Sendable {
    /// The variable or field is left out.
    case absent
    /// The value is null.
    case null
    /// A value.
    case value(Wrapped)

    /// Creates a value, or `absent` for nil.
    public init(_ value: Wrapped?) {
        self = value.map(GraphQLNullable.value) ?? .absent
    }

    /// The value; nil for `absent` and `null`.
    public var value: Wrapped? {
        if case .value(let value) = self { value } else { nil }
    }

    /// The JSON of the value; nil if it is absent.
    public var json: JSONValue? {
        switch self {
        case .absent: nil
        case .null: .some(.null)
        case .value(let value): value.jsonValue
        }
    }
}

extension GraphQLNullable: ExpressibleByNilLiteral {
    /// Creates `absent`.
    public init(nilLiteral: ()) { self = .absent }
}

extension GraphQLNullable: ExpressibleByBooleanLiteral where Wrapped == Bool {
    /// Creates a value.
    public init(booleanLiteral value: Bool) { self = .value(value) }
}

extension GraphQLNullable: ExpressibleByIntegerLiteral where Wrapped == Int {
    /// Creates a value.
    public init(integerLiteral value: Int) { self = .value(value) }
}

extension GraphQLNullable: ExpressibleByFloatLiteral where Wrapped == Double {
    /// Creates a value.
    public init(floatLiteral value: Double) { self = .value(value) }
}

extension GraphQLNullable: ExpressibleByUnicodeScalarLiteral where Wrapped == String {
    /// Creates a value.
    public init(unicodeScalarLiteral value: String) { self = .value(value) }
}

extension GraphQLNullable: ExpressibleByExtendedGraphemeClusterLiteral where Wrapped == String {
    /// Creates a value.
    public init(extendedGraphemeClusterLiteral value: String) { self = .value(value) }
}

extension GraphQLNullable: ExpressibleByStringLiteral where Wrapped == String {
    /// Creates a value.
    public init(stringLiteral value: String) { self = .value(value) }
}
