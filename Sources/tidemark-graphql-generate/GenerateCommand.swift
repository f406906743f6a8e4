import ArgumentParser
import TidemarkGraphQLGenerator

/// The command `tidemark-graphql-generate`, which generates Swift from a schema and documents.
@main
struct GenerateOperationsCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "tidemark-graphql-generate",
        abstract: "Generate typed operations from a GraphQL schema and documents.",
        discussion: """
            Writes one Swift file for each operation and fragment, and one for enums and input types. A file whose text \
            would not change is not touched. Errors are printed as FILE:LINE:COLUMN: error: MESSAGE, and then nothing \
            is written and the command ends with 65.

            EXAMPLE
              tidemark-graphql-generate --schema schema.graphqls --operations 'Queries/**/*.graphql' --output Generated
            """)

    @Option(help: ArgumentHelp("The server's schema: GraphQL type definitions.", valueName: "file"))
    var schema: String
    @Option(
        parsing: .upToNextOption,
        help: ArgumentHelp(
            "Documents of operations and fragments. * stands for any part of a name, ** for any folders.",
            valueName: "pattern"))
    var operations: [String]
    @Option(help: ArgumentHelp("The folder for the Swift files.", valueName: "folder"))
    var output: String
    @Option(help: "The access level of what is generated: public, package or internal.")
    var access: AccessLevel = .internal
    @Option(help: ArgumentHelp("An enum around everything that is generated.", valueName: "name"))
    var module: String?
    @Option(help: ArgumentHelp("Swift types of custom scalars: Date=Date,Link=URL.", valueName: "list"))
    var scalars: String?
    @Flag(help: "Write one file for each document, named after it.")
    var perDocument = false

    func run() throws {
        var options = GeneratorOptions()
        options.access = access.value
        options.namespace = module
        options.scalars = try GenerateOperationsCommand.scalars(scalars)
        options.grouping = perDocument ? .documents : .definitions
        let paths = try PathPattern.paths(of: operations)
        do throws(GeneratorError) {
            let files = try CodeGenerator.files(
                schema: GenerateOperationsCommand.source(schema),
                operations: paths.map(GenerateOperationsCommand.source), options: options)
            try GeneratedFolder(output).write(files)
        } catch {
            for finding in error.findings { StandardError.write(finding.description) }
            throw ExitCode(65)
        }
    }

    private static func source(_ path: String) throws(GeneratorError) -> SourceText {
        SourceText(path: path, bytes: try InputFile.bytes(of: path))
    }

    private static func scalars(_ list: String?) throws -> [String: String] {
        var scalars: [String: String] = [:]
        for pair in list?.split(separator: ",") ?? [] {
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false).map(String.init)
            guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty }) else {
                throw ValidationError("'\(pair)' is not NAME=TYPE; write --scalars Date=Date,Link=URL.")
            }
            scalars[parts[0]] = parts[1]
        }
        return scalars
    }
}

/// The values of `--access`.
enum AccessLevel: String, ExpressibleByArgument, CaseIterable {
    case `public`, `package`, `internal`

    var value: GeneratorOptions.Access {
        switch self {
        case .public: .public
        case .package: .package
        case .internal: .internal
        }
    }
}
