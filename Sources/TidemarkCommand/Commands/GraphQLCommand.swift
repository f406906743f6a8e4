import ArgumentParser

/// `tidemark graphql`: commands for GraphQL documents.
struct GraphQLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graphql",
        abstract: "Read and check GraphQL documents, generate Swift, and see what answers become.",
        discussion: """
            EXAMPLE
              tidemark graphql check --schema schema.graphqls queries.graphql
              tidemark graphql normalize --document hero.graphql < answer.json
              tidemark graphql query --db cache.db --endpoint http://localhost:4000 --document hero.graphql
            """,
        subcommands: [
            GraphQLQueryCommand.self, GraphQLCheckCommand.self, GraphQLNormalizeCommand.self,
            GraphQLGenerateCommand.self,
        ])
}
