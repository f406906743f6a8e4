import ArgumentParser

/// `tidemark graphql`: commands for GraphQL documents.
struct GraphQLCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "graphql",
        abstract: "Read and check GraphQL documents, generate Swift, see what answers become, import a cache.",
        discussion: """
            EXAMPLE
              tidemark graphql check --schema schema.graphqls queries.graphql
              tidemark graphql normalize --document hero.graphql < answer.json
              tidemark graphql query --db cache.db --endpoint http://localhost:4000 --document hero.graphql
            """,
        subcommands: [
            GraphQLQueryCommand.self, GraphQLCheckCommand.self, GraphQLNormalizeCommand.self,
            GraphQLGenerateCommand.self, GraphQLImportApolloCommand.self,
        ])
}
