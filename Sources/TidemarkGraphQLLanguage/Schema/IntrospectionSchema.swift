import TidemarkModel

/// The types and directives that every schema has without defining them.
///
/// - Source: GraphQL, October 2021, sections 3.5, 3.13 and 4; Protocol/graphql.md, local directives.
enum IntrospectionSchema {
    /// The field that every composite type has.
    static let typename = (name: ByteString("__typename"), type: ByteString("String"))

    static let text = """
        scalar Int scalar Float scalar String scalar Boolean scalar ID
        type __Schema {
          description: String types: [__Type!]! queryType: __Type! mutationType: __Type subscriptionType: __Type
          directives: [__Directive!]!
        }
        type __Type {
          kind: __TypeKind! name: String description: String specifiedByURL: String
          fields(includeDeprecated: Boolean = false): [__Field!] interfaces: [__Type!] possibleTypes: [__Type!]
          enumValues(includeDeprecated: Boolean = false): [__EnumValue!]
          inputFields(includeDeprecated: Boolean = false): [__InputValue!] ofType: __Type
        }
        type __Field {
          name: String! description: String args(includeDeprecated: Boolean = false): [__InputValue!]! type: __Type!
          isDeprecated: Boolean! deprecationReason: String
        }
        type __InputValue {
          name: String! description: String type: __Type! defaultValue: String isDeprecated: Boolean!
          deprecationReason: String
        }
        type __EnumValue { name: String! description: String isDeprecated: Boolean! deprecationReason: String }
        enum __TypeKind { SCALAR OBJECT INTERFACE UNION ENUM INPUT_OBJECT LIST NON_NULL }
        type __Directive {
          name: String! description: String locations: [__DirectiveLocation!]!
          args(includeDeprecated: Boolean = false): [__InputValue!]! isRepeatable: Boolean!
        }
        enum __DirectiveLocation {
          QUERY MUTATION SUBSCRIPTION FIELD FRAGMENT_DEFINITION FRAGMENT_SPREAD INLINE_FRAGMENT VARIABLE_DEFINITION
          SCHEMA SCALAR OBJECT FIELD_DEFINITION ARGUMENT_DEFINITION INTERFACE UNION ENUM ENUM_VALUE INPUT_OBJECT
          INPUT_FIELD_DEFINITION
        }
        type __Root { __schema: __Schema! __type(name: String!): __Type __typename: String! }
        directive @skip(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
        directive @include(if: Boolean!) on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT
        directive @deprecated(reason: String = "No longer supported") on
          FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE
        directive @specifiedBy(url: String!) on SCALAR
        directive @defer(if: Boolean! = true, label: String) on FRAGMENT_SPREAD | INLINE_FRAGMENT
        directive @cacheControl(maxAge: Int, inheritMaxAge: Boolean) on QUERY | MUTATION | SUBSCRIPTION | FIELD
        directive @connection(key: String!, filter: [String!]) on FIELD
        """

    /// The name of the type that holds the meta-fields. No document can use it.
    static let root = ByteString("__Root")

    static let document: Document = {
        do throws(GraphQLError) {
            return try DocumentParser.parse(Array(text.utf8))
        } catch {
            preconditionFailure("the types of introspection are no document: \(error)")
        }
    }()

    /// The scalars that a schema may define again, which changes nothing.
    static let scalars: Set<ByteString> = ["Int", "Float", "String", "Boolean", "ID"]

    /// The directives of policies on types and fields. The types of their arguments, `EventRule` and `Object`, need no
    /// definition.
    static let policyDirectives: Set<ByteString> = ["typePolicy", "fieldPolicy", "cacheControl", "cacheControlField"]

    /// The directives that are never sent to a server.
    package static let localDirectives: Set<ByteString> = ["cacheControl", "connection"]
}
