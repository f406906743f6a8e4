import Tidemark
import TidemarkGraphQL
import TidemarkModel

/// The knowledge beside a document that decides how it is stored and read: schema, key fields, ages and type names.
///
/// - Source: Protocol/graphql.md, identity; Protocol/policy.md.
package struct GraphRules: Sendable {
    /// The server's types; nil where none are known.
    package let schema: GraphQLSchema?
    /// Key fields and look-ups; those of the schema's file stand below those of the policy's.
    package let identity: IdentityRules
    package let policy: CachePolicy
    /// The types that have another name in the cache, by alias.
    package let typeAliases: [ByteString: ByteString]
    /// Gives an object's key by its typename and fields, instead of the key fields.
    package var cacheKey: (@Sendable (_ typename: String, _ object: JSONValue) -> String?)?
    /// The schema's spelling of types in the cache; only of those that differ.
    private let spellings: [ByteString: ByteString]

    package init(
        schema: GraphQLSchema? = nil, identity: IdentityRules = IdentityRules(), policy: CachePolicy = CachePolicy(),
        typeAliases: [ByteString: ByteString] = [:]
    ) {
        self.schema = schema
        self.identity = identity
        self.policy = policy
        self.typeAliases = typeAliases
        var spellings: [ByteString: ByteString] = [:]
        // Of several aliases the first by bytes, or the one that the schema knows.
        for (alias, type) in typeAliases.sorted(by: { $0.key < $1.key }) {
            if let schema, schema.type(type) != nil || schema.type(alias) == nil { continue }
            if spellings[type] == nil { spellings[type] = alias }
        }
        self.spellings = spellings
    }

    /// Rules with the key fields that a schema says.
    package init(schema: GraphQLSchema) { self.init(schema: schema, identity: schema.identity) }

    /// Returns the type in the cache of a `__typename`.
    package func resourceType(of typename: ByteString) -> ByteString {
        typeAliases.isEmpty ? typename : typeAliases[typename] ?? typename
    }

    /// Returns the `__typename` of a type in the cache.
    package func typename(of resourceType: ByteString) -> ByteString {
        spellings.isEmpty ? resourceType : spellings[resourceType] ?? resourceType
    }

    /// Tells whether an object of a type is one of the type that a fragment names.
    ///
    /// - Complexity: O(1).
    package func applies(_ condition: ByteString, to typename: ByteString?) -> Bool {
        guard let typename else { return false }
        if condition == typename { return true }
        guard let schema, let wanted = schema.id(condition), let own = schema.id(typename) else { return false }
        return schema.applies(wanted, to: own)
    }

    /// Returns the name of the type of an operation's own fields.
    package func rootTypename(of kind: OperationKind) -> ByteString {
        if let schema, let root = schema.roots[kind] { return schema[root].name }
        return switch kind {
        case .query: "Query"
        case .mutation: "Mutation"
        case .subscription: "Subscription"
        }
    }

    /// Returns the type that a field declares; nil without a schema, and for a field that it does not have.
    package func type(of field: ByteString, in typename: ByteString?) -> SchemaTypeReference? {
        guard let schema, let typename, let id = schema.id(typename) else { return nil }
        return schema.field(field, of: id)?.type
    }

    /// Returns the name of the object type that a field declares inside all lists; nil for every other type.
    package func objectTypename(of type: SchemaTypeReference?) -> ByteString? {
        guard let schema, let type, schema[type.named].kind == .object else { return nil }
        return schema[type.named].name
    }

    /// Returns the rule that makes a root field a look-up, or a list that grows.
    func lookup(_ field: ByteString) -> FieldLookup? {
        identity.lookup(field, of: rootTypename(of: .query)) ?? identity.lookup(field, of: GraphKey.rootType)
    }

    /// Returns the object type of a root field that is a look-up; nil where nothing says one.
    func lookupTypename(of field: ByteString, _ type: SchemaTypeReference?) -> ByteString? {
        if schema != nil, type != nil { return objectTypename(of: type) }
        guard case .composite(let name)? = policy.field(field, of: GraphKey.rootType)?.target,
            policy.type(name)?.kind == .object
        else { return nil }
        return name
    }

    /// Tells whether values of a type may be any JSON: a scalar that the server defines.
    func isCustomScalar(_ type: SchemaTypeReference) -> Bool {
        guard let schema else { return true }
        return schema[type.named].kind == .scalar && !GraphRules.builtInScalars.contains(schema[type.named].name)
    }

    private static let builtInScalars: Set<ByteString> = ["Int", "Float", "String", "Boolean", "ID"]
}
