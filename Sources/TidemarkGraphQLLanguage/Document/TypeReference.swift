/// The type of a field or an input: `Name`, `[Type]`, `Type!`.
package indirect enum TypeReference: Hashable, Sendable {
    /// A type by its name.
    case named(Name)
    /// A list, with the place of its bracket. Bounded by ``DocumentLimits/nestingDepthMax``.
    case list(TypeReference, SourcePlace)
    /// A type that is not null: a name or a list, never another `nonNull`.
    case nonNull(TypeReference)

    /// The name of the type inside all lists.
    package var name: Name {
        var inner = self
        while true {
            switch inner {
            case .named(let name): return name
            case .list(let element, _): inner = element
            case .nonNull(let type): inner = type
            }
        }
    }
}
