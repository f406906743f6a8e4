import ArgumentParser

/// `tidemark policy`: commands for files that limit the age of cached data.
struct PolicyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "policy",
        abstract: "Check files that say how old entities and fields may be.",
        discussion: """
            EXAMPLE
              tidemark policy check policy.graphqls
            """,
        subcommands: [PolicyCheckCommand.self])
}
