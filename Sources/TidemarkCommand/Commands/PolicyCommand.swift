import ArgumentParser

/// `tidemark policy`: files that say how old what is cached may be.
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
