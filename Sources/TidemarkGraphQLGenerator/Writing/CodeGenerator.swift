import TidemarkGraphQLLanguage
import TidemarkModel

/// A generated file.
package struct GeneratedFile: Hashable, Sendable {
    /// The name without a folder.
    package var name: String
    /// The content.
    package var text: String
}

/// Generates Swift from a schema and documents.
///
/// The output is deterministic: equal input gives equal files, whatever the time, the machine and the folder.
///
/// - Source: Protocol/graphql.md, typed operations.
package struct CodeGenerator {
    /// Returns the name of the file with enums and input types: `GraphQLTypes.swift`, or `PhotosTypes.swift` in the
    /// namespace `Photos`.
    package static func typesFileName(namespace: String?) -> String { "\(namespace ?? "GraphQL")Types.swift" }

    private let model: TypedModel
    private let options: GeneratorOptions
    private let types: SwiftTypeNames
    private var typesFileName: String { CodeGenerator.typesFileName(namespace: options.namespace) }
    private let structures: [TypePath: SelectionModel]

    /// Generates all files.
    ///
    /// - Throws: ``GeneratorError`` with all errors of the schema and the documents.
    /// - Complexity: O(schema + selections with fragments inlined).
    package static func files(
        schema: SourceText, operations: [SourceText], options: GeneratorOptions
    ) throws(GeneratorError) -> [GeneratedFile] {
        let model = try ModelBuilder.model(schema: schema, operations: operations)
        let generator = CodeGenerator(model, options)
        switch options.grouping {
        case .definitions: return generator.filesByDefinition()
        case .documents: return try generator.filesByDocument(operations.map(\.path))
        }
    }

    private init(_ model: TypedModel, _ options: GeneratorOptions) {
        self.model = model
        self.options = options
        types = SwiftTypeNames(schema: model.schema, names: model.typeNames, scalars: options.scalars)
        var structures: [TypePath: SelectionModel] = [:]
        for operation in model.operations { CodeGenerator.collect(operation.data, into: &structures) }
        for fragment in model.fragments { CodeGenerator.collect(fragment.selection, into: &structures) }
        self.structures = structures
    }

    private static func collect(_ selection: SelectionModel, into structures: inout [TypePath: SelectionModel]) {
        structures[selection.path] = selection
        for nested in selection.nested { collect(nested, into: &structures) }
    }

    // MARK: Files

    private func filesByDefinition() -> [GeneratedFile] {
        var names = NameScope([typesFileName.lowercased()])
        var files: [GeneratedFile] = []
        // File systems may ignore the case of names.
        func name(_ type: String) -> String {
            var candidate = type
            var number = 2
            while names.contains("\(candidate).swift".lowercased()) {
                candidate = "\(type)\(number)"
                number += 1
            }
            _ = names.reserve("\(candidate).swift".lowercased(), suffix: "")
            return "\(candidate).swift"
        }
        for operation in model.operations {
            files.append(file(name(operation.path.last), [operation.file], operations: [operation], fragments: []))
        }
        for fragment in model.fragments {
            files.append(
                file(name(fragment.selection.path.last), [fragment.file], operations: [], fragments: [fragment]))
        }
        return files + [typesFile()]
    }

    private func filesByDocument(_ paths: [String]) throws(GeneratorError) -> [GeneratedFile] {
        var files: [GeneratedFile] = []
        var owners: [String: String] = [:]
        for path in paths {
            let name = CodeGenerator.fileName(ofDocument: path)
            if let other = owners.updateValue(path, forKey: name.lowercased()) {
                throw GeneratorError([
                    GeneratorFinding(
                        path: path, line: 1, column: 1,
                        message:
                            "The document has the file name of \(other), and both would become \(name); rename one.")
                ])
            }
            files.append(
                file(
                    name, [path], operations: model.operations.filter { $0.file == path },
                    fragments: model.fragments.filter { $0.file == path }))
        }
        return files + [typesFile()]
    }

    /// Returns the name of the file generated for a document by the build plugin: `Hero.graphql.swift` for
    /// `Queries/Hero.graphql`.
    package static func fileName(ofDocument path: String) -> String {
        (path.split(separator: "/").last.map(String.init) ?? path) + ".swift"
    }

    private func typesFile() -> GeneratedFile {
        let writer = SchemaTypeWriter(types: types, access: options.access.prefix)
        let declarations: [SwiftDeclaration] =
            model.enumerations.map { .type(writer.declaration($0)) }
            + model.inputs.map { .type(writer.declaration($0)) }
        let namespace = options.namespace.map {
            SwiftDeclaration.type(
                SwiftTypeDeclaration(
                    comment: "Operations, fragments and types of the schema.", access: options.access.prefix,
                    keyword: "enum", name: $0))
        }
        return GeneratedFile(
            name: typesFileName,
            text: text([], [namespace].compactMap { $0 } + wrapped(declarations)))
    }

    private func file(
        _ name: String, _ sources: [String], operations: [OperationModel], fragments: [FragmentModel]
    ) -> GeneratedFile {
        let writer = OperationWriter(types: types, access: options.access.prefix)
        var conversions = ConversionWriter(structures, prefix: options.namespace.map { "\($0)." } ?? "")
        for operation in operations { conversions.add(operation.data) }
        for fragment in fragments { conversions.add(fragment.selection) }
        let declarations: [SwiftDeclaration] =
            operations.map { .type(writer.declaration($0)) } + fragments.map { .type(writer.declaration($0)) }
        return GeneratedFile(
            name: name,
            text: text(
                sources.map { String($0.split(separator: "/").last ?? "") },
                wrapped(declarations) + conversions.declarations()))
    }

    private func wrapped(_ declarations: [SwiftDeclaration]) -> [SwiftDeclaration] {
        guard let namespace = options.namespace, !declarations.isEmpty else { return declarations }
        return [
            .type(SwiftTypeDeclaration(keyword: "extension", name: namespace, members: declarations))
        ]
    }

    private func text(_ sources: [String], _ declarations: [SwiftDeclaration]) -> String {
        let origin = sources.isEmpty ? "the schema" : sources.joined(separator: ", ")
        let needsFoundation = options.scalars.values.contains { ["Date", "URL", "UUID", "Decimal"].contains($0) }
        return SwiftPrinter.text(
            comments: ["Generated by tidemark-graphql-generate from \(origin); changes are overwritten."],
            imports: (needsFoundation ? ["Foundation"] : []) + ["Tidemark", "TidemarkGraphQLTypes"], declarations)
    }
}
