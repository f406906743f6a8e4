import ArgumentParser

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `tidemark graphql generate`: starts the generator, which is a program of its own.
struct GraphQLGenerateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Generate Swift types of operations from a schema and documents.",
        discussion: """
            Starts tidemark-graphql-generate, which is beside tidemark or in PATH, with the same arguments. \
            tidemark-graphql-generate --help lists them.

            EXAMPLE
              tidemark graphql generate --schema schema.graphqls --operations 'Queries/**/*.graphql' --output Generated
            """)

    private static let tool = "tidemark-graphql-generate"

    @Argument(parsing: .captureForPassthrough, help: "The arguments of tidemark-graphql-generate.")
    var arguments: [String] = []

    func run() async throws {
        if arguments.contains("--help") || arguments.contains("-h") { throw CleanExit.helpRequest(self) }
        // The generator takes this process: its output, its signals and its exit status are those of the command.
        for path in [GraphQLGenerateCommand.neighbour, GraphQLGenerateCommand.tool].compactMap({ $0 }) {
            GraphQLGenerateCommand.execute(path, arguments)
        }
        throw Failure(
            .unavailable, "not_found", "the generator cannot be started", place: GraphQLGenerateCommand.tool,
            outcome: "nothing was generated",
            advice: "put \(GraphQLGenerateCommand.tool) beside tidemark, or into a folder of PATH")
    }

    /// The generator in the folder of this program; nil when the program was started without a folder.
    private static var neighbour: String? {
        guard let program = CommandLine.arguments.first, let slash = program.lastIndex(of: "/") else { return nil }
        return program[...slash] + tool
    }

    /// Returns only when the program cannot be started.
    private static func execute(_ path: String, _ arguments: [String]) {
        var words = ([path] + arguments).map { strdup($0) } + [nil]
        execvp(path, &words)
        for word in words { free(word) }
    }
}
