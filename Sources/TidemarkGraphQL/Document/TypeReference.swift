/// The type of a field or an input: `Name`, `[Type]`, `Type!`.
package indirect enum TypeReference: Hashable, Sendable {
    case named(Name)
    /// With the place of its bracket. Bound: ``DocumentLimits/nestingDepthMax``.
    case list(TypeReference, SourcePlace)
    /// Of a name or a list, never of another `nonNull`.
    case nonNull(TypeReference)

    /// The name inside all lists.
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
