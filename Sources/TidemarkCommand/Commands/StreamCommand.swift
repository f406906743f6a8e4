import ArgumentParser

/// `tidemark stream`: commands for JetStream streams.
struct StreamCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stream",
        abstract: "Make a JetStream stream for events, or show one.",
        discussion: """
            EXAMPLE
              tidemark stream create --to nats://localhost:4222/EVENTS
              tidemark stream info --to nats://localhost:4222/EVENTS --json
            """,
        subcommands: [StreamCreateCommand.self, StreamInfoCommand.self])
}
