import ArgumentParser

/// `tidemark policy`: commands for files that limit the age of cached data.
struct PolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Check files that limit the age of entities and fields.",
        discussion: """
            EXAMPLE
              tidemark policy check policy.graphqls
            """,
        subcommands: [PolicyCheckCommand.self])
}
