/// The type of a field, an argument or a variable, with its name looked up.
package indirect enum SchemaTypeReference: Hashable, Sendable {
    /// A type by its number.
    case named(SchemaTypeID)
    /// A list of a type. Bounded by ``DocumentLimits/nestingDepthMax`` levels.
    case list(SchemaTypeReference)
    /// A type that is not null: a name or a list, never another `nonNull`.
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

    /// True if null is not allowed.
    package var isNonNull: Bool {
        if case .nonNull = self { true } else { false }
    }

    /// The type without its own `!`.
    package var nullable: SchemaTypeReference {
        if case .nonNull(let inner) = self { inner } else { self }
    }

    /// True for a list, whether null is allowed or not.
    package var isList: Bool {
        if case .list = nullable { true } else { false }
    }
}
