import ArgumentParser
import TidemarkModel

/// `tidemark`: the root command.
struct RootCommand: AsyncParsableCommand {
    /// The version of the command.
    ///
    /// - Source: docs/changelog.md.
    static let version = TidemarkVersion.text

    static let configuration = CommandConfiguration(
        commandName: "tidemark",
        abstract: "A cache that change events keep in sync with a server.",
        discussion: """
            Feed it lines of change events; it keeps the latest state of every entity in one database file, detects \
            missing events, and quarantines lines that it cannot read.

            EXAMPLE
              tidemark ingest --db cache.db < events.ndjson
              tidemark list --db cache.db

            EXIT STATUS
              0 ok, 64 usage, 65 bad data, 66 no input file, 69 upstream unavailable, 70 internal, 73 cannot create, \
            74 input or output, 75 locked, 78 configuration
            """,
        version: version,
        subcommands: [
            IngestCommand.self, RunCommand.self, ServeCommand.self, GetCommand.self, ListCommand.self,
            FacetsCommand.self,
            ViewCommand.self, ScopeCommand.self,
            StatsCommand.self,
            VerifyCommand.self, DoctorCommand.self, ExportCommand.self, QueriesCommand.self, PendingCommand.self,
            RemoveCommand.self, EraseCommand.self, RotateKeyCommand.self,
            QuarantineCommand.self,
            GapsCommand.self, PublishCommand.self, StreamCommand.self, PolicyCommand.self, GraphQLCommand.self,
            HTTPCommand.self, GenerateCommand.self,
            ReplayCommand.self,
            BisectCommand.self,
            SelftestCommand.self, SimulateCommand.self,
        ])
}
