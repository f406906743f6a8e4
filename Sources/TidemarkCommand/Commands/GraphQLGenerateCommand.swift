import ArgumentParser

/// `tidemark graphql generate`: runs the generator, a separate executable.
struct GraphQLGenerateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Generate Swift types of operations from a schema and documents.",
        discussion: """
            Starts tidemark-graphql-generate, which is beside tidemark, with the same arguments. \
            tidemark-graphql-generate --help lists them.

            EXAMPLE
              tidemark graphql generate --schema schema.graphqls --operations 'Queries/**/*.graphql' --output Generated
            """)

    @Argument(parsing: .captureForPassthrough, help: "The arguments of tidemark-graphql-generate.")
    var arguments: [String] = []

    func run() async throws {
        if arguments.contains("--help") || arguments.contains("-h") { throw CleanExit.helpRequest(self) }
        throw NeighbourProgram.generator.start(arguments)
    }
}
