import TidemarkModel

/// Reads the rules of a policy from a parsed document, and finds all that is wrong with them.
///
/// Definitions first, then extensions, then what directives say, then what interfaces hand down: each step goes on
/// after an error, so that one reading shows as many as can be known.
///
/// - Complexity: O(document), and for each type the fields of its interfaces.
/// - Source: Protocol/policy.md.
struct PolicyReader {
    /// Interfaces of one type.
    static let interfaceCountMax = 256
    /// The largest `maxAge`, in seconds: what an `Int` of GraphQL holds.
    static let ageMax = Int(Int32.max)

    /// What a name stands for. The built-in scalars are in it from the start.
    enum Kind: Hashable {
        case scalar
        case composite(TypePolicy.Kind)
        case input

        /// With its article.
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

    /// Its `memberCountMax` also bounds the fields of all types, those handed down included.
    let limits: DocumentLimits
    var errors = GraphQLErrors()
    var kinds: [ByteString: Kind] = [:]
    /// Where each name was defined.
    var places: [ByteString: SourcePlace] = [:]
    /// In the order of their definitions.
    var types: [PolicyType] = []
    /// Names to indices of `types`.
    var indices: [ByteString: Int] = [:]

    static let builtInScalars: [ByteString] = ["Int", "Float", "String", "Boolean", "ID"]

    /// - Throws: All that is wrong, in the order of places.
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

    /// A name for a message, where it must not be long.
    static func excerpt(_ name: ByteString) -> String { DocumentParser.excerpt(name.description) }
}
