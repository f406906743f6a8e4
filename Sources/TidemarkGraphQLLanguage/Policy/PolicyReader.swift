import TidemarkModel

/// Reads the rules of a policy from a parsed document and finds all errors in them.
///
/// The steps are: definitions, extensions, directives, rules from interfaces. Each step continues after an error, so
/// that one reading reports as many errors as possible.
///
/// - Complexity: O(document), and for each type the fields of its interfaces.
/// - Source: Protocol/policy.md.
struct PolicyReader {
    /// The maximum number of interfaces of one type.
    static let interfaceCountMax = 256
    /// The largest `maxAge`, in seconds: the largest `Int` of GraphQL.
    static let ageMax = Int(Int32.max)

    /// The kind of type that a name denotes. The built-in scalars are known from the start.
    enum Kind: Hashable {
        case scalar
        case composite(TypePolicy.Kind)
        case input

        /// The kind in words, with an article.
        var words: String {
            switch self {
            case .scalar: "a scalar or an enum"
            case .composite(.object): "an object type"
            case .composite(.interface): "an interface"
            case .composite(.union): "a union"
            case .input: "an input"
            }
        }
    }

    /// The limits. `memberCountMax` also bounds the fields of all types, including inherited ones.
    let limits: DocumentLimits
    var errors = GraphQLErrors()
    var kinds: [ByteString: Kind] = [:]
    /// The place where each name was defined.
    var places: [ByteString: SourcePlace] = [:]
    /// The composite types in the order of their definitions.
    var types: [PolicyType] = []
    /// The indices of `types` by name.
    var indices: [ByteString: Int] = [:]

    static let builtInScalars: [ByteString] = ["Int", "Float", "String", "Boolean", "ID"]

    /// Reads a policy.
    ///
    /// - Throws: All errors, ordered by place.
    static func read(_ document: Document, limits: DocumentLimits) throws(GraphQLErrors) -> CachePolicy {
        var reader = PolicyReader(limits: limits)
        for name in builtInScalars { reader.kinds[name] = .scalar }
        let definitions: [TypeDefinition] = document.definitions.compactMap { definition in
            guard case .type(let type) = definition else { return nil }
            return type
        }
        for definition in definitions where !definition.isExtension { reader.define(definition) }
        for definition in definitions where definition.isExtension { reader.extend(definition) }
        for definition in document.definitions { reader.refuseElsewhere(definition) }
        for index in reader.types.indices { reader.applyFieldDirectives(to: index) }
        reader.checkTypes()
        let policy = reader.handDown()
        guard reader.errors.count == 0 else {
            reader.errors.sort()
            throw reader.errors
        }
        return policy
    }

    /// Returns a name for a message, shortened if it is long.
    static func excerpt(_ name: ByteString) -> String { DocumentParser.excerpt(name.description) }
}
