import ArgumentParser

/// `tidemark pending retry`: allows failed edits to be sent again. The code that uses the engine is in
/// `PendingRetryCommand+Engine.swift`.
struct PendingRetryCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Let edits that failed be sent again.",
        discussion: """
            The next session sends them, with all the attempts that the host allowed. Edits that have not failed are \
            sent anyway. Needs the database's lock: no session may run.

            EXAMPLE
              tidemark pending retry --db cache.db p1
              tidemark pending retry --db cache.db --all
            """)

    @OptionGroup var database: DatabaseOptions
    @Flag(name: .customLong("all"), help: "Retry every edit that failed.")
    var isForAll = false
    @Argument(help: ArgumentHelp("Pending ids that pending shows.", valueName: "pending-id"))
    var pendingIDs: [String] = []

    func validate() throws {
        if isForAll != pendingIDs.isEmpty { throw ValidationError("Name the edits to retry, or pass --all.") }
    }

    func run() async throws {
        let count = try await retry()
        let output = Output.standard()
        try output.writeLine("\(HumanText.count(count)) edits are sent again by the next session")
        try output.flush()
    }
}
