import ArgumentParser

/// `tidemark http`: commands for HTTP responses and the cache of them.
struct HTTPCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "http",
        abstract: "Fetch HTTP answers through the cache, and look at the stored ones.",
        discussion: """
            Answers are stored beside the entities, in the same database.

            EXAMPLE
              tidemark http get https://example.com/ --db cache.db --policy standard
              tidemark http list --db cache.db
            """,
        subcommands: [
            HTTPGetCommand.self, HTTPListCommand.self, HTTPShowCommand.self, HTTPInvalidateCommand.self,
        ])
}
