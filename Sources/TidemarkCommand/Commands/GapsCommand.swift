import ArgumentParser
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkJSON

/// `tidemark gaps`: reports each library's position in its log, and its lost numbers.
struct GapsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "gaps",
        abstract: "Show each library's position and lost numbers, ask for them again, or move a cursor back.",
        discussion: """
            A number is lost when its event never arrived and no upstream had it. Entities may then be older than the \
            server's, and the library's state is stale. With --json a library has "unknowable":true when messages can \
            be deleted from its stream without a trace.

            --heal asks an upstream for the lost numbers now. --rewind moves back a cursor that a line with a wrong \
            number moved far ahead: lost numbers above --to are removed, and the log continues after --to.

            EXAMPLE
              tidemark gaps --db cache.db
              tidemark gaps --db cache.db --heal --upstream file:complete.ndjson
              tidemark gaps --db cache.db --rewind --library photos --to 19505
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var format: FormatOptions

    @Flag(help: "Ask the upstream for the lost numbers, then show those that are still lost.")
    var heal = false

    @Option(
        help: ArgumentHelp(
            "The upstream to ask: file:PATH, a complete log of event lines, or nats://host:port/STREAM.",
            valueName: "address"))
    var upstream: UpstreamAddress?

    @Flag(
        help: "Move the cursor of --library back to --to, then show it. Its queries are stale afterwards.")
    var rewind = false

    @Option(name: .customLong("to"), help: ArgumentHelp("The last correct number.", valueName: "n"))
    var target: Int64?

    func validate() throws {
        if heal && rewind { throw ValidationError("--heal and --rewind exclude each other: rewind first, then heal.") }
        if heal, upstream == nil {
            throw ValidationError("--heal asks an upstream: say which, as --upstream file:PATH.")
        }
        try upstream?.validate()
        if upstream != nil, !heal { throw ValidationError("--upstream is for --heal.") }
        if rewind, scope.library == nil { throw ValidationError("--rewind works on one library: add --library ID.") }
        if rewind, target == nil { throw ValidationError("--rewind needs the number to go back to: add --to N.") }
        if target != nil, !rewind { throw ValidationError("--to is for --rewind.") }
        if let target, target < 0 { throw ValidationError("--to is a number from 0 on.") }
    }

    func run() async throws {
        let reader = try CacheReader(database)
        if heal { try await healNow() }
        if rewind { try await rewindNow() }
        let statuses = try (heal || rewind ? CacheReader(database) : reader).libraries().map(\.status).filter {
            scope.library == nil || $0.library == scope.library
        }
        let output = Output.standard()
        if format.isJSON {
            var line = JSONLine()
            line.object { line in line.libraries(statuses, showsUnknowable: true) }
            try output.writeLine(line.bytes)
        } else if statuses.isEmpty {
            try output.writeLine("No libraries.")
        } else {
            try LibraryListing.write(statuses, to: output)
            try writeUnknowable(statuses.filter(\.isUnknowable), to: output)
        }
        try output.flush()
    }

    private func writeUnknowable(_ statuses: [LibraryStatus], to output: Output) throws {
        guard !statuses.isEmpty else { return }
        let names = statuses.map { LibraryListing.name($0.library) }.joined(separator: ", ")
        try output.writeLine(
            "\nA message that is deleted from a stream of many subjects leaves no trace. Whether more is missing cannot be "
                + "known: \(names)")
    }
}
