import Tidemark

extension View {
    /// A value of a source, or of the output row, that a clause of a view reads.
    ///
    /// Comparing a field with `==`, `!=`, `<`, `<=`, `>` and `>=` makes a ``View/Filter``. The right side is a value of
    /// the field's type, another field of that type, or a ``View/Parameter``.
    public struct Field<Value>: Sendable {
        /// The alias of the source; nil for a member of the output row.
        let alias: String?
        /// A JSON Pointer.
        let pointer: String
        let conventions: ResourceConventions
        var mistake: CacheError?

        /// The path as rules write it.
        var path: RulePart {
            var path = RulePart.text((alias ?? "") + pointer)
            path.mistake = mistake
            return path
        }

        /// Fulfilled if there is a value, null included.
        public var exists: Filter { test("exists", .flag(true)) }

        /// Fulfilled if there is no value, not even null.
        public var isAbsent: Filter { test("exists", .flag(false)) }

        /// Fulfilled if the value is null. An absent one is not; see ``isAbsent``.
        public var isNull: Filter { test("eq", .null) }

        func test(_ operation: String, _ operand: RulePart) -> Filter {
            Filter(part: .object([("path", path), (operation, operand)]))
        }

        func test(_ operation: String, _ value: Value) -> Filter where Value: Encodable {
            test(operation, operand(value))
        }

        func test<Other>(_ operation: String, _ field: Field<Other>) -> Filter {
            test(operation, .object([("path", field.path)]))
        }

        func test(_ operation: String, _ parameter: Parameter) -> Filter { test(operation, parameter.part) }

        /// Encodes a literal. An object is written so that it cannot be taken for a path or a parameter.
        func operand(_ value: some Encodable) -> RulePart {
            let literal = RulePart.literal(value, conventions)
            guard literal.isObject else { return literal }
            return .object([("value", literal)])
        }
    }

    /// A value that each use of a view gives: ``View/param(_:)``.
    public struct Parameter: Sendable {
        let name: String

        var part: RulePart { .object([("param", .text(name))]) }
    }

    /// A parameter of the view, by its name.
    public static func param(_ name: String) -> Parameter { Parameter(name: name) }

    /// A member of the output row: the name of a group or of an aggregate, and behind the name of an include that of
    /// its aggregate. For orders, for ``ViewClauses/having(_:)`` and for aggregates of includes in
    /// ``ViewClauses/filter(_:)``.
    public static func output(_ names: String...) -> Field<JSONValue> {
        Field(alias: nil, pointer: JSONPointer(tokens: names).description, conventions: ResourceConventions())
    }
}
