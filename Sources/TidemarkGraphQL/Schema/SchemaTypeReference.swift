/// The type of a field, an argument or a variable, with its name looked up.
package indirect enum SchemaTypeReference: Hashable, Sendable {
    case named(SchemaTypeID)
    /// A list of a type. Nested up to ``DocumentLimits/nestingDepthMax``.
    case list(SchemaTypeReference)
    /// Around a name or a list, never around another `nonNull`.
    case nonNull(SchemaTypeReference)

    /// The type inside all lists.
    package var named: SchemaTypeID {
        var inner = self
        while true {
            switch inner {
            case .named(let id): return id
            case .list(let type), .nonNull(let type): inner = type
            }
        }
    }

    package var isNonNull: Bool {
        if case .nonNull = self { true } else { false }
    }

    /// The type without its own `!`.
    package var nullable: SchemaTypeReference {
        if case .nonNull(let inner) = self { inner } else { self }
    }

    package var isList: Bool {
        if case .list = nullable { true } else { false }
    }
}
