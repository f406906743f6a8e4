import ArgumentParser

/// `tidemark pending discard`: rolls edits back. `PendingRetryCommand+Engine.swift` has the code that uses the engine.
struct PendingDiscardCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "discard",
        abstract: "Roll edits back, with those that depend on them.",
        discussion: """
            Readers then see the server's data under the remaining edits. What a server has done already stays done. \
            Needs the database's lock: no session may run.

            EXAMPLE
              tidemark pending discard --db cache.db p1
            """)

    @OptionGroup var database: DatabaseOptions
    @Argument(help: ArgumentHelp("Pending ids that pending shows.", valueName: "pending-id"))
    var pendingIDs: [String]

    func run() async throws {
        let count = try await discard()
        let output = Output.standard()
        try output.writeLine("\(HumanText.count(count)) edits were discarded")
        try output.flush()
    }
}
