import TidemarkGraphQLLanguage
import TidemarkModel

/// Builds the model of all documents: operations, fragments, and the enums and input types that they use.
package struct ModelBuilder {
    private let schema: GraphQLSchema
    private let texts: SchemaTexts
    private let document: ExecutableDocument
    private let sources: OperationSources
    private let fragments: [ByteString: FragmentDefinition]
    private var names = NameScope(SwiftName.reservedTypes)
    private var model: TypedModel

    /// Builds the model of a schema and its documents.
    ///
    /// - Throws: ``GeneratorError`` for errors in the schema, documents that break a rule of GraphQL, and operations
    ///   without a name.
    package static func model(
        schema text: SourceText, operations: [SourceText]
    ) throws(GeneratorError) -> TypedModel {
        let parsed: Document
        let schema: GraphQLSchema
        let policy: CachePolicy
        do throws(GraphQLErrors) {
            parsed = try ModelBuilder.parsed(text.bytes)
            schema = try GraphQLSchema.read(parsed)
            policy = try CachePolicy.read(text.bytes)
        } catch {
            throw GeneratorError(
                error.errors.map {
                    GeneratorFinding(path: text.path, line: $0.line, column: $0.column, message: $0.message)
                })
        }
        let sources = try OperationSources(operations, schema: schema)
        var builder = ModelBuilder(schema, SchemaTexts(parsed), sources)
        try builder.build(policy)
        return builder.model
    }

    private static func parsed(_ bytes: [UInt8]) throws(GraphQLErrors) -> Document {
        do throws(GraphQLError) {
            return try DocumentParser.parse(bytes)
        } catch {
            throw GraphQLErrors(error)
        }
    }

    private init(_ schema: GraphQLSchema, _ texts: SchemaTexts, _ sources: OperationSources) {
        self.schema = schema
        self.texts = texts
        self.sources = sources
        document = TypenameWriter(schema: schema).write(sources.document)
        fragments = Dictionary(document.fragments.map { ($0.name.text, $0) }) { first, _ in first }
        model = TypedModel(schema: schema)
    }

    private mutating func build(_ policy: CachePolicy) throws(GeneratorError) {
        try checkNames()
        for type in schema.types where type.kind == .enumeration || type.kind == .input {
            model.typeNames[type.name.description] = names.reserve(
                SwiftName.type(type.name.description), suffix: type.kind == .input ? "Input" : "Value")
        }
        var fragmentPaths: [ByteString: TypePath] = [:]
        for fragment in document.fragments {
            let name = names.reserve(SwiftName.type(fragment.name.text.description), suffix: "Fragment")
            fragmentPaths[fragment.name.text] = TypePath([name])
        }
        let operationPaths = document.operations.map { operation in
            TypePath([
                names.reserve(
                    SwiftName.type(operation.name?.text.description ?? ""), suffix: operation.kind.typeName)
            ])
        }
        var topNames = Set(model.typeNames.values)
        topNames.formUnion(fragmentPaths.values.map(\.last))
        topNames.formUnion(operationPaths.map(\.last))
        var resolver = SelectionResolver(
            schema: schema, policy: policy, fragments: fragments, fragmentPaths: fragmentPaths, topNames: topNames)
        for fragment in document.fragments { add(fragment, &resolver) }
        for (operation, path) in zip(document.operations, operationPaths) { add(operation, path, &resolver) }
        let used = UsedTypes(model)
        model.enumerations = used.enumerations.map { enumeration(schema[$0]) }
        model.inputs = used.inputs.map { input(schema[$0]) }
    }

    private func checkNames() throws(GeneratorError) {
        let findings = sources.document.operations.filter { $0.name == nil }.map { operation in
            sources.finding(
                "The operation has no name; give it one, which becomes the name of its type.", at: operation.place)
        }
        guard findings.isEmpty else { throw GeneratorError(findings) }
    }

    // MARK: Definitions

    private mutating func add(_ fragment: FragmentDefinition, _ resolver: inout SelectionResolver) {
        guard let selection = resolver.fragment(fragment.name.text) else { return }
        model.fragments.append(
            FragmentModel(
                name: fragment.name.text.description, file: sources.place(ofLine: fragment.place.line).path,
                document: text(.fragment(fragment)), selection: selection))
    }

    private mutating func add(
        _ operation: OperationDefinition, _ path: TypePath, _ resolver: inout SelectionResolver
    ) {
        guard let root = schema.roots[operation.kind], let name = operation.name else { return }
        let source = SelectionSource(
            selections: operation.selections, parent: root, types: Set(schema[root].possibleTypes),
            operationAge: OperationAge(operation.directives).seconds)
        var variableNames = NameScope([
            "self", "init", "hashValue", "variables", "document", "operationName",
        ])
        model.operations.append(
            OperationModel(
                kind: operation.kind, name: name.text.description, path: path,
                file: sources.place(ofLine: operation.place.line).path,
                variables: operation.variables.compactMap { variable in
                    guard let type = schema.resolve(variable.type) else { return nil }
                    let name = variable.name.text.description
                    return VariableModel(
                        name: name, swiftName: variableNames.reserve(SwiftName.member(name), suffix: "Variable"),
                        type: type, defaultValue: variable.defaultValue)
                }, document: text(.operation(operation)),
                data: resolver.selection([source], type: root, path: path.appending("Data"))))
    }

    /// Returns the text of a definition and the fragments that it uses, in the order in which they are first spread.
    private func text(_ definition: ExecutableDocument.Definition) -> String {
        var definitions = [definition]
        var seen: Set<ByteString> = []
        if case .fragment(let fragment) = definition { seen.insert(fragment.name.text) }
        var next = 0
        while next < definitions.count {
            for name in ModelBuilder.spreads(definitions[next].selections) where seen.insert(name).inserted {
                if let fragment = fragments[name] { definitions.append(.fragment(fragment)) }
            }
            next += 1
        }
        return String(decoding: DocumentPrinter.text(of: ExecutableDocument(definitions: definitions)), as: UTF8.self)
    }

    private static func spreads(_ selections: [Selection]) -> [ByteString] {
        selections.flatMap { selection in
            if case .spread(let spread) = selection { [spread.name.text] } else { spreads(selection.selections) }
        }
    }

    private func enumeration(_ type: SchemaType) -> EnumerationModel {
        var names = NameScope(["self", "init", "unknown", "rawValue", "hashValue", "knownCases"])
        let values = texts.values[type.name] ?? type.values.sorted().map { .init(name: $0.description) }
        return EnumerationModel(
            name: type.name.description, swiftName: model.typeNames[type.name.description] ?? "",
            description: type.description?.description,
            cases: values.map {
                .init(
                    value: $0.name, name: names.reserve(SwiftName.member($0.name), suffix: "Value"),
                    description: $0.description)
            })
    }

    private func input(_ type: SchemaType) -> InputModel {
        var names = NameScope(["self", "init", "hashValue"])
        return InputModel(
            name: type.name.description, swiftName: model.typeNames[type.name.description] ?? "",
            description: type.description?.description,
            fields: type.inputs.all.map { field in
                .init(
                    name: field.name.description,
                    swiftName: names.reserve(SwiftName.member(field.name.description), suffix: "Field"),
                    description: texts.inputs[type.name]?[field.name], type: field.type,
                    hasDefault: field.defaultValue != nil)
            })
    }
}

extension OperationKind {
    /// The kind as part of a type's name: `Query`, `Mutation` or `Subscription`.
    package var typeName: String {
        switch self {
        case .query: "Query"
        case .mutation: "Mutation"
        case .subscription: "Subscription"
        }
    }
}
