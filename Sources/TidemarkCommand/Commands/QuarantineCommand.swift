import ArgumentParser

/// `tidemark quarantine`: commands for the lines that could not be used.
struct QuarantineCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "quarantine",
        abstract: "Show the lines that could not be used, and retry them.",
        discussion: """
            EXAMPLE
              tidemark quarantine list --db cache.db
              tidemark quarantine show --db cache.db 3
            """,
        subcommands: [QuarantineListCommand.self, QuarantineShowCommand.self, QuarantineRetryCommand.self])
}
