import TidemarkModel

/// The types of a server: what documents are checked against.
///
/// A value without references to the text that it was read from. Names are bytes, as everywhere.
///
/// - Source: GraphQL, October 2021, section 3; Protocol/graphql.md, schemas.
package struct GraphQLSchema: Sendable {
    /// The types in the order of their definitions; those of introspection come first.
    package internal(set) var types: [SchemaType] = []
    var ids: [ByteString: SchemaTypeID] = [:]
    /// The directives by name, those that every document may use among them.
    package internal(set) var directives: [ByteString: SchemaDirective] = [:]
    /// Types of the operations; an operation without one cannot be run.
    package internal(set) var roots: [OperationKind: SchemaTypeID] = [:]
    /// Key fields and look-ups of this schema's types.
    package internal(set) var identity = IdentityRules()

    init() {}

    package subscript(id: SchemaTypeID) -> SchemaType { types[id.index] }

    /// - Returns: nil when no type has that name.
    /// - Complexity: O(1).
    package func id(_ name: ByteString) -> SchemaTypeID? { ids[name] }

    /// - Returns: nil when no type has that name.
    package func type(_ name: ByteString) -> SchemaType? { ids[name].map { types[$0.index] } }

    /// Whether an object of type `object` is one of type `condition`: equal, an implementer, or a member.
    package func applies(_ condition: SchemaTypeID, to object: SchemaTypeID) -> Bool {
        types[condition.index].possibleTypeSet.contains(object)
    }

    /// Whether some object type is both of type `left` and of type `right`.
    ///
    /// - Complexity: O(the fewer possible types).
    package func overlap(_ left: SchemaTypeID, _ right: SchemaTypeID) -> Bool {
        if left == right { return true }
        let (fewer, more) =
            types[left.index].possibleTypeSet.count < types[right.index].possibleTypeSet.count
            ? (left, right) : (right, left)
        return types[fewer.index].possibleTypes.contains { types[more.index].possibleTypeSet.contains($0) }
    }

    /// A field of a type, those of introspection included.
    ///
    /// - Returns: nil when the type has no such field; of a union only `__typename` is one.
    package func field(_ name: ByteString, of type: SchemaTypeID) -> SchemaField? {
        let parent = types[type.index]
        if let field = parent.field(name) { return field }
        guard parent.isComposite else { return nil }
        if name == IntrospectionSchema.typename.name { return typename }
        return type == roots[.query] ? introspectionFields[name] : nil
    }

    /// A type as a document writes it.
    package func text(of type: SchemaTypeReference) -> String {
        switch type {
        case .named(let id): types[id.index].name.description
        case .list(let element): "[\(text(of: element))]"
        case .nonNull(let inner): text(of: inner) + "!"
        }
    }

    /// Looks up the names of a reference.
    ///
    /// - Returns: nil when there is no such type.
    package func resolve(_ type: TypeReference) -> SchemaTypeReference? {
        switch type {
        case .named(let name): return ids[name.text].map { .named($0) }
        case .list(let element, _): return resolve(element).map { .list($0) }
        case .nonNull(let inner): return resolve(inner).map { .nonNull($0) }
        }
    }

    private var typename: SchemaField? { introspectionFields[IntrospectionSchema.typename.name] }

    /// `__typename` of every composite type, `__schema` and `__type` of the query root.
    var introspectionFields: [ByteString: SchemaField] = [:]
}
