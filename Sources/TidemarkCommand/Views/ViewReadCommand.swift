import ArgumentParser
import Foundation
import TidemarkJSON
import TidemarkLiveViews
import TidemarkModel
import TidemarkViews

/// `tidemark view read`: prints the rows of a view.
struct ViewReadCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "read",
        abstract: "Print the rows of a view.",
        discussion: """
            Prints a table on a terminal, and otherwise, or with --json, one row a line. Entities that a join or include \
            asks for by @key and that the cache does not know are counted on standard error: the result may be short.

            With --watch the lines on standard input, or of the stream of --from, are applied as by tidemark run, and \
            the table is drawn again whenever it changes. Otherwise, or with --json, the first line is the result, and \
            each further one a change with its patch, as view.observe and view.changed have them. It ends with the \
            input, or with SIGINT or SIGTERM, and needs the database's lock.

            EXAMPLE
              tidemark view read open-issues --db cache.db --params '{"project":"p1"}'
              tidemark view read --db cache.db --view open-issues.json --params '{"project":"p1"}' --limit 20
              tidemark view read --db cache.db --view '{"from":"file","group":{"kind":"file/kind"},\
            "aggregates":{"n":{"count":true},"bytes":{"sum":"file/size"}}}'
              tidemark view read --db cache.db --sql "SELECT i.title, p.name AS project FROM issue i \
            JOIN project p ON p.id = i.project WHERE p.status = 'active' ORDER BY i.created DESC LIMIT 20"
              tidemark view read open-issues --db cache.db --watch --from nats://localhost:4222/EVENTS
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var view: ViewOptions
    @OptionGroup var format: FormatOptions
    @Flag(name: .customLong("explain"), help: "Print the rule in JSON, and read nothing.")
    var printsRule = false
    @Flag(name: .customLong("watch"), help: "Print every change too, until the input ends.")
    var isWatched = false
    @OptionGroup(title: "With --watch") var stream: StreamOptions

    func validate() throws {
        if printsRule, isWatched { throw ValidationError("Pass one of --explain and --watch.") }
        if stream.from != nil, !isWatched { throw ValidationError("--from is for --watch.") }
    }

    func run() async throws {
        if isWatched { return try await watch() }
        if printsRule { return try printRule() }
        let view = try FileView(view, database, library: scope.library)
        let output = Output.standard()
        if format.isJSON || !output.isTerminal {
            for row in view.result.rows { try output.writeLine(row) }
        } else {
            try ViewReadCommand.write(view.result.rows, to: output)
            if view.rule.hasTotal {
                try output.writeLine(output.style.paint("\(HumanText.count(view.result.total, "row")) in all", .dim))
            }
        }
        try output.flush()
        if view.result.missing > 0 {
            let errors = Output.errors()
            let entities = HumanText.count(view.result.missing, "entity is", "entities are")
            try errors.writeLine(
                "note: \(entities) asked for and not in the cache, so rows may be missing; "
                    + "tidemark view explain names them")
            try errors.flush()
        }
        try view.reader.reportDamage()
    }

    private func printRule() throws {
        var rule = try view.givenRule()
        if rule == nil {
            let reader = try CacheReader(database)
            rule = try view.viewRule(reader, library: try FileView.library(scope.library, of: reader))
        }
        let output = Output.standard()
        try output.writeLine(rule?.canonical ?? [])
        try output.flush()
    }

    private func watch() async throws {
        var library = scope.library ?? ""
        var rule: ViewRule?
        // A first look refuses a wrong rule, wrong parameters and an unknown name before the database is changed.
        if view.name != nil || FileManager.default.fileExists(atPath: database.path) {
            let reader = try CacheReader(database)
            library = try FileView.library(scope.library, of: reader)
            rule = try view.viewRule(reader, library: library)
        } else {
            rule = try view.givenRule()
        }
        if let rule { _ = try view.binding(for: rule) }
        var request = ViewRequest(library: library, view: .name(ByteString(view.name ?? "")))
        if view.name == nil, let rule { request.view = .rule(rule) }
        request.params = view.params.map { Array($0.utf8) }
        (request.offset, request.limit) = (view.offset, view.limit)
        try await ViewWatch(
            database: database, request: request, defaultLibrary: scope.library ?? "", stream: stream,
            printsLines: format.isJSON || !Output.standard().isTerminal
        ).run()
    }

    /// The most columns of a table; wider rows are printed as JSON.
    private static let columnCountMax = 12

    /// Prints rows as a table with a column for each member.
    static func write(_ rows: [[UInt8]], to output: Output) throws(Failure) {
        guard !rows.isEmpty else { return try output.writeLine("No rows.") }
        var names: [String] = []
        let objects = rows.map { ViewReadCommand.members(of: $0) }
        for object in objects {
            for member in object ?? [] where !names.contains(member.name) { names.append(member.name) }
        }
        let isWide = names.isEmpty || names.count > columnCountMax || objects.contains { $0 == nil }
        var table = Table(isWide ? [.init(title: "ROW")] : names.map { .init(title: $0.uppercased()) })
        for (row, members) in zip(rows, objects) {
            guard let members, !isWide else {
                table.append([ByteString.excerpt(of: row, byteCount: 2_000)])
                continue
            }
            table.append(names.map { name in members.first { $0.name == name }?.text ?? "" })
        }
        try table.write(to: output, columnCountMax: output.columnCount)
    }

    /// Returns the members of a row as cells, in their order; nil if the row is no object.
    private static func members(of row: [UInt8]) -> [(name: String, text: String)]? {
        let value: JSONValue
        do throws(JSONSyntaxError) {
            value = try JSONValue(parsing: row)
        } catch {
            return nil
        }
        return value.members?.map { ($0.name, $0.value.string ?? $0.value.text) }
    }
}
