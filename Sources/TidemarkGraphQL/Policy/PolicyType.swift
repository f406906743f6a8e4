import TidemarkModel

/// A type while a policy is read: its definition and all that extends it.
struct PolicyType {
    var name: Name
    var kind: TypePolicy.Kind
    /// No two of one name. Bound: ``PolicyReader/interfaceCountMax``.
    var interfaces: [Name] = []
    /// Of a union.
    var members: [Name] = []
    var own: CacheControl?
    /// No two of one name.
    var fields: [PolicyField] = []
    /// Names to indices of `fields`.
    var fieldIndices: [ByteString: Int] = [:]
    /// `@cacheControlField`, to be applied when all fields are known.
    var fieldDirectives: [Directive] = []

    init(name: Name, kind: TypePolicy.Kind) {
        self.name = name
        self.kind = kind
    }
}
