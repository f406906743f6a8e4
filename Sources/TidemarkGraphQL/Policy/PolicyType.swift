import TidemarkModel

/// A type during the reading of a policy: its definition and all of its extensions.
struct PolicyType {
    var name: Name
    var kind: TypePolicy.Kind
    /// The interfaces; no two have the same name. Bound: ``PolicyReader/interfaceCountMax``.
    var interfaces: [Name] = []
    /// The members of a union; empty for other types.
    var members: [Name] = []
    var own: CacheControl?
    /// The fields; no two have the same name.
    var fields: [PolicyField] = []
    /// The indices of `fields` by name.
    var fieldIndices: [ByteString: Int] = [:]
    /// The `@cacheControlField` directives, which are applied when all fields are known.
    var fieldDirectives: [Directive] = []

    init(name: Name, kind: TypePolicy.Kind) {
        self.name = name
        self.kind = kind
    }
}
