import ArgumentParser

/// `tidemark pending`: commands for the edits that no server has confirmed yet.
struct PendingCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pending",
        abstract: "List edits that no server has confirmed yet, send failed ones again, or discard them.",
        discussion: """
            An edit is applied over the server's data until the host that made it commits it or rolls it back. Its \
            state is pending; confirmed, while it waits for the server's own event; or orphaned, when it changes an \
            entity that was deleted meanwhile. An edit that the cache sends by itself is queued, or failed when its \
            server refused it; ATTEMPTS counts how often it was sent. Oldest first. With --json, one object in the \
            form of optimistic.list, with all changes.

            EXAMPLE
              tidemark pending --db cache.db --json
              tidemark pending retry --db cache.db p1
              tidemark pending discard --db cache.db p1
            """,
        subcommands: [PendingListCommand.self, PendingRetryCommand.self, PendingDiscardCommand.self],
        defaultSubcommand: PendingListCommand.self)
}
