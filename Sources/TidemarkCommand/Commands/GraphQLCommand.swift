import ArgumentParser

/// `tidemark graphql`: documents of GraphQL.
struct GraphQLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graphql",
        abstract: "Check GraphQL documents, and see what answers become.",
        discussion: """
            EXAMPLE
              tidemark graphql check --schema schema.graphqls queries.graphql
              tidemark graphql normalize --document hero.graphql < answer.json
            """,
        subcommands: [GraphQLCheckCommand.self, GraphQLNormalizeCommand.self])
}
