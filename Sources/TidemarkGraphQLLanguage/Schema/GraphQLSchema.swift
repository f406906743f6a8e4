import TidemarkModel

/// The types of a server, against which documents are checked.
///
/// It does not refer to the text that it was read from. Names are bytes.
///
/// - Source: GraphQL, October 2021, section 3; Protocol/graphql.md, schemas.
package struct GraphQLSchema: Sendable {
    /// The types in the order of their definitions, after those of introspection.
    package internal(set) var types: [SchemaType] = []
    var ids: [ByteString: SchemaTypeID] = [:]
    /// The directives by name, including those that every document may use.
    package internal(set) var directives: [ByteString: SchemaDirective] = [:]
    /// The types of the operations. An operation without one cannot be run.
    package internal(set) var roots: [OperationKind: SchemaTypeID] = [:]
    /// The key fields and look-ups of the types.
    package internal(set) var identity = IdentityRules()

    init() {}

    /// The type with a number of this schema.
    package subscript(id: SchemaTypeID) -> SchemaType { types[id.index] }

    /// Returns the number of the type with a name.
    ///
    /// - Returns: nil if there is no such type.
    /// - Complexity: O(1).
    package func id(_ name: ByteString) -> SchemaTypeID? { ids[name] }

    /// Returns the type with a name.
    ///
    /// - Returns: nil if there is no such type.
    package func type(_ name: ByteString) -> SchemaType? { ids[name].map { types[$0.index] } }

    /// True if objects of type `object` also have the type `condition`: it is equal, an interface that they implement,
    /// or a union that includes them.
    package func applies(_ condition: SchemaTypeID, to object: SchemaTypeID) -> Bool {
        types[condition.index].possibleTypeSet.contains(object)
    }

    /// True if at least one object type belongs to both types.
    ///
    /// - Complexity: O(the smaller number of possible types).
    package func overlap(_ left: SchemaTypeID, _ right: SchemaTypeID) -> Bool {
        if left == right { return true }
        let (fewer, more) =
            types[left.index].possibleTypeSet.count < types[right.index].possibleTypeSet.count
            ? (left, right) : (right, left)
        return types[fewer.index].possibleTypes.contains { types[more.index].possibleTypeSet.contains($0) }
    }

    /// Returns a field of a type, including those of introspection.
    ///
    /// - Returns: nil if the type has no such field. A union has only `__typename`.
    package func field(_ name: ByteString, of type: SchemaTypeID) -> SchemaField? {
        let parent = types[type.index]
        if let field = parent.field(name) { return field }
        guard parent.isComposite else { return nil }
        if name == IntrospectionSchema.typename.name { return typename }
        return type == roots[.query] ? introspectionFields[name] : nil
    }

    /// Returns a type in the notation of documents.
    package func text(of type: SchemaTypeReference) -> String {
        switch type {
        case .named(let id): types[id.index].name.description
        case .list(let element): "[\(text(of: element))]"
        case .nonNull(let inner): text(of: inner) + "!"
        }
    }

    /// Looks up the name in a type reference.
    ///
    /// - Returns: nil if there is no such type.
    package func resolve(_ type: TypeReference) -> SchemaTypeReference? {
        switch type {
        case .named(let name): return ids[name.text].map { .named($0) }
        case .list(let element, _): return resolve(element).map { .list($0) }
        case .nonNull(let inner): return resolve(inner).map { .nonNull($0) }
        }
    }

    private var typename: SchemaField? { introspectionFields[IntrospectionSchema.typename.name] }

    /// The fields of introspection: `__typename` of every composite type, `__schema` and `__type` of the query root.
    var introspectionFields: [ByteString: SchemaField] = [:]
}
