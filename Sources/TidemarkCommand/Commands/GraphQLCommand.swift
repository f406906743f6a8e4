import ArgumentParser

/// `tidemark graphql`: documents of GraphQL.
struct GraphQLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graphql",
        abstract: "Check GraphQL documents.",
        discussion: """
            EXAMPLE
              tidemark graphql check --schema schema.graphqls queries.graphql
            """,
        subcommands: [GraphQLCheckCommand.self])
}
