import TidemarkModel

/// Reads a schema from a document of type definitions and finds all errors in them.
///
/// It reads names first, then fields and members with their names looked up, then the consequences of interfaces.
///
/// - Complexity: O(document).
/// - Source: GraphQL, October 2021, section 3; Protocol/graphql.md, schemas.
struct SchemaReader {
    var schema = GraphQLSchema()
    var errors = GraphQLErrors()
    /// The place of each definition in the file. Names that every schema has are absent.
    var places: [ByteString: SourcePlace] = [:]
    /// The interfaces that a type names itself, by the type's number.
    var declaredInterfaces: [[SchemaTypeID]] = []
    /// The members that a union names, by the type's number.
    var members: [[SchemaTypeID]] = []

    /// Reads a schema.
    ///
    /// - Throws: All errors, ordered by place.
    static func read(_ document: Document) throws(GraphQLErrors) -> GraphQLSchema {
        var reader = SchemaReader()
        reader.readDefinitions(of: IntrospectionSchema.document, isOwn: true)
        reader.places = [:]
        reader.readDefinitions(of: document, isOwn: false)
        reader.addIntrospection()
        reader.readRoots(of: document)
        reader.workOutPossibleTypes()
        if reader.errors.count > 0 {
            reader.errors.sort()
            throw reader.errors
        }
        return reader.schema
    }

    /// Reads the definitions of a document.
    ///
    /// - Parameter isOwn: True for the definitions that every schema has.
    private mutating func readDefinitions(of document: Document, isOwn: Bool) {
        let types: [TypeDefinition] = document.definitions.compactMap { definition in
            guard case .type(let type) = definition else { return nil }
            return isOwn || !isBuiltIn(type) ? type : nil
        }
        for type in types where !type.isExtension { define(type) }
        for type in types where !type.isExtension { add(type) }
        for type in types where type.isExtension { extend(type) }
        var names: Set<ByteString> = []
        for case .directive(let directive) in document.definitions {
            guard names.insert(directive.name.text).inserted else {
                errors.append(
                    .duplicateDirective,
                    "@\(SchemaReader.excerpt(directive.name)) is defined twice; define it once",
                    at: directive.name.place)
                continue
            }
            define(directive, isOwn: isOwn)
        }
    }

    /// True for definitions that every schema has; a file may repeat them without effect.
    private func isBuiltIn(_ type: TypeDefinition) -> Bool {
        type.name.text.bytes.starts(with: [0x5F, 0x5F])
            || type.body == .scalar && !type.isExtension && IntrospectionSchema.scalars.contains(type.name.text)
    }

    private mutating func define(_ definition: TypeDefinition) {
        let name = definition.name
        if let place = places[name.text] {
            return errors.append(
                .duplicateType,
                "\(SchemaReader.excerpt(name)) was defined at \(place.line):\(place.column); define it once, add with "
                    + "extend", at: name.place)
        }
        if let id = schema.ids[name.text] {
            return errors.append(
                .duplicateType,
                "\(SchemaReader.excerpt(name)) is \(schema[id].kind.rawValue) that every schema has; choose another name",
                at: name.place)
        }
        places[name.text] = name.place
        schema.ids[name.text] = SchemaTypeID(schema.types.count)
        schema.types.append(
            SchemaType(
                name: name.text, kind: SchemaReader.kind(of: definition.body),
                description: definition.description?.text))
        declaredInterfaces.append([])
        members.append([])
    }

    private mutating func define(_ definition: DirectiveDefinition, isOwn: Bool) {
        let name = definition.name.text
        let isOurs = IntrospectionSchema.policyDirectives.contains(name)
        // The types of these arguments belong to Tidemark, so no schema has to define them.
        let inputs = inputs(definition.arguments.filter { !isOurs || schema.ids[$0.type.name.text] != nil })
        let directive = SchemaDirective(
            name: name, arguments: inputs, isRepeatable: definition.isRepeatable,
            locations: Set(definition.locations.map(\.location)))
        // A directive that Tidemark handles in documents has the same meaning in every schema.
        if isOwn || schema.directives[name] == nil { schema.directives[name] = directive }
    }

    private mutating func addIntrospection() {
        guard let root = schema.type(IntrospectionSchema.root) else { return }
        for field in root.fields { schema.introspectionFields[field.name] = field }
        // Documents cannot use the type that holds them.
        schema.ids[IntrospectionSchema.root] = nil
    }

    static func kind(of body: TypeDefinition.Body) -> SchemaType.Kind {
        switch body {
        case .scalar: .scalar
        case .object: .object
        case .interface: .interface
        case .union: .union
        case .enumeration: .enumeration
        case .input: .input
        }
    }

    /// Returns a name for a message, shortened if it is long.
    static func excerpt(_ name: Name) -> String { DocumentParser.excerpt(name.text.description) }
}
