import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel

/// Everything besides a document that decides how it is stored and read: schema, key fields, ages and type names.
///
/// - Source: Protocol/graphql.md, identity; Protocol/policy.md.
package struct GraphQLRules: Sendable {
    /// The server's schema; nil if unknown.
    package let schema: GraphQLSchema?
    /// The key fields and look-ups. Those in the policy's file override those in the schema's file.
    package let identity: IdentityRules
    /// The ages of types and fields.
    package let policy: CachePolicy
    /// The types that have another name in the cache, by alias.
    package let typeAliases: [ByteString: ByteString]
    /// Returns an object's key for its typename and fields; if it is nil or returns nil, the key fields decide.
    package var cacheKey: (@Sendable (_ typename: String, _ object: JSONValue) -> String?)?
    /// The schema's names of types in the cache, only where they differ.
    private let spellings: [ByteString: ByteString]

    /// Creates rules.
    package init(
        schema: GraphQLSchema? = nil, identity: IdentityRules = IdentityRules(), policy: CachePolicy = CachePolicy(),
        typeAliases: [ByteString: ByteString] = [:]
    ) {
        self.schema = schema
        self.identity = identity
        self.policy = policy
        self.typeAliases = typeAliases
        var spellings: [ByteString: ByteString] = [:]
        // Of several aliases take the one that the schema knows, else the first by bytes.
        for (alias, type) in typeAliases.sorted(by: { $0.key < $1.key }) {
            if let schema, schema.type(type) != nil || schema.type(alias) == nil { continue }
            if spellings[type] == nil { spellings[type] = alias }
        }
        self.spellings = spellings
    }

    /// Creates rules with the key fields that the schema's directives name.
    package init(schema: GraphQLSchema) { self.init(schema: schema, identity: schema.identity) }

    /// Returns the type in the cache for a `__typename`.
    package func resourceType(of typename: ByteString) -> ByteString {
        typeAliases.isEmpty ? typename : typeAliases[typename] ?? typename
    }

    /// Returns the `__typename` for a type in the cache.
    package func typename(of resourceType: ByteString) -> ByteString {
        spellings.isEmpty ? resourceType : spellings[resourceType] ?? resourceType
    }

    /// True if an object of a type belongs to the type condition of a fragment.
    ///
    /// - Complexity: O(1).
    package func applies(_ condition: ByteString, to typename: ByteString?) -> Bool {
        guard let typename else { return false }
        if condition == typename { return true }
        guard let schema, let wanted = schema.id(condition), let own = schema.id(typename) else { return false }
        return schema.applies(wanted, to: own)
    }

    /// Returns the name of the type that holds an operation's root fields.
    package func rootTypename(of kind: OperationKind) -> ByteString {
        if let schema, let root = schema.roots[kind] { return schema[root].name }
        return switch kind {
        case .query: "Query"
        case .mutation: "Mutation"
        case .subscription: "Subscription"
        }
    }

    /// Returns the declared type of a field; nil without a schema, or if the schema does not have the field.
    package func type(of field: ByteString, in typename: ByteString?) -> SchemaTypeReference? {
        guard let schema, let typename, let id = schema.id(typename) else { return nil }
        return schema.field(field, of: id)?.type
    }

    /// Returns the name of the object type that a field declares, inside all lists; nil for every other type.
    package func objectTypename(of type: SchemaTypeReference?) -> ByteString? {
        guard let schema, let type, schema[type.named].kind == .object else { return nil }
        return schema[type.named].name
    }

    /// Returns the rule that makes a root field a look-up or a maintained list.
    func lookup(_ field: ByteString) -> FieldLookup? {
        identity.lookup(field, of: rootTypename(of: .query)) ?? identity.lookup(field, of: GraphQLKey.rootType)
    }

    /// Returns the object type of a root field that is a look-up; nil if neither schema nor policy names one.
    func lookupTypename(of field: ByteString, _ type: SchemaTypeReference?) -> ByteString? {
        if schema != nil, type != nil { return objectTypename(of: type) }
        guard case .composite(let name)? = policy.field(field, of: GraphQLKey.rootType)?.target,
            policy.type(name)?.kind == .object
        else { return nil }
        return name
    }

    /// True if values of a type may be any JSON, as those of scalars that the server defines.
    func isCustomScalar(_ type: SchemaTypeReference) -> Bool {
        guard let schema else { return true }
        return schema[type.named].kind == .scalar && !GraphQLRules.builtInScalars.contains(schema[type.named].name)
    }

    private static let builtInScalars: Set<ByteString> = ["Int", "Float", "String", "Boolean", "ID"]
}
