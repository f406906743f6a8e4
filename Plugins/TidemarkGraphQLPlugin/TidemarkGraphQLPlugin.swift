import Foundation
import PackagePlugin

/// Generates typed operations while a target is built: its `.graphqls` file is the schema, its `.graphql` files are the
/// documents.
///
/// Each document becomes one file of Swift, and enums and input types become another one. A file `tidemark-graphql.json`
/// beside them may choose `access`, `module` and `scalars`, as the command's options of these names.
@main
struct TidemarkGraphQLPlugin: BuildToolPlugin {
    func createBuildCommands(context: PluginContext, target: any Target) throws -> [Command] {
        guard let target = target as? any SourceModuleTarget else { return [] }
        let files = target.sourceFiles.map(\.url)
        let documents = files.filter { $0.pathExtension == "graphql" }.sorted { $0.path < $1.path }
        let schemas = files.filter { $0.pathExtension == "graphqls" }
        guard !documents.isEmpty || !schemas.isEmpty else { return [] }
        guard schemas.count == 1 else {
            Diagnostics.error(
                "\(target.name) has \(schemas.count) files .graphqls; put exactly one, the server's schema, into its folder"
            )
            return []
        }
        let configurations = files.filter { $0.lastPathComponent == "tidemark-graphql.json" }
        let options = try configurations.first.map(Options.init(contentsOf:)) ?? Options()
        let output = context.pluginWorkDirectoryURL.appending(path: "Operations")
        var arguments = ["--schema", schemas[0].path, "--output", output.path, "--per-document"]
        arguments += options.arguments
        // An empty list of documents is no list.
        guard !documents.isEmpty else { return [] }
        arguments += ["--operations"] + documents.map(\.path)
        let names = documents.map { "\($0.lastPathComponent).swift" } + ["\(options.module ?? "GraphQL")Types.swift"]
        return [
            .buildCommand(
                displayName: "Generating \(documents.count) GraphQL documents of \(target.name)",
                executable: try context.tool(named: "tidemark-graphql-generate").url, arguments: arguments,
                inputFiles: schemas + documents + configurations, outputFiles: names.map { output.appending(path: $0) })
        ]
    }
}

/// `tidemark-graphql.json`.
private struct Options: Decodable {
    var access: String?
    var module: String?
    var scalars: [String: String]?

    init() {}

    init(contentsOf file: URL) throws {
        self = try JSONDecoder().decode(Options.self, from: Data(contentsOf: file))
    }

    var arguments: [String] {
        var arguments: [String] = []
        if let access { arguments += ["--access", access] }
        if let module { arguments += ["--module", module] }
        if let scalars, !scalars.isEmpty {
            let pairs = scalars.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }
            arguments += ["--scalars", pairs.joined(separator: ",")]
        }
        return arguments
    }
}
