import TidemarkModel

/// A type while a policy is being read: its definition and all of its extensions.
struct PolicyType {
    var name: Name
    var kind: TypePolicy.Kind
    /// The interfaces, each once. Bounded by ``PolicyReader/interfaceCountMax``.
    var interfaces: [Name] = []
    /// The members of a union; empty for other types.
    var members: [Name] = []
    var own: CacheControl?
    /// The fields, each name once.
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
