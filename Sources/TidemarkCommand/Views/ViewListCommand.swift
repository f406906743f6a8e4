import ArgumentParser
import TidemarkJSON
import TidemarkLiveViews
import TidemarkModel
import TidemarkViews

/// `tidemark view list`: lists the defined views.
struct ViewListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the defined views.",
        discussion: """
            With --json, one object a line with the rule. How many rows and observers a view has, the session's \
            view.list says.

            EXAMPLE
              tidemark view list --db cache.db
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
        let views = try DefinedViews(try CacheReader(database), library: scope.library).views
        let output = Output.standard()
        if format.isJSON {
            for view in views { try output.writeLine(ViewListCommand.json(view.record, view.rule)) }
        } else if views.isEmpty {
            try output.writeLine("No views are defined.")
        } else {
            let titles = ["NAME", "LIBRARY", "PARAMS", "TYPES"]
            var table = Table(titles.map { .init(title: $0) })
            for (record, rule) in views {
                table.append([
                    Printable.text(record.name), Printable.text(record.library),
                    rule.parameters.map { Printable.text($0) }.joined(separator: ", "),
                    rule.types.map { Printable.text($0) }.joined(separator: ", "),
                ])
            }
            try table.write(to: output, columnCountMax: output.isTerminal ? output.columnCount : 160)
        }
        try output.flush()
    }

    private static func json(_ record: ViewRecord, _ rule: ViewRule) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("name", record.name)
            line.member("library_id", record.library)
            line.member("view", json: rule.canonical)
            line.name("params")
            line.array { line in
                for name in rule.parameters { line.value(name) }
            }
        }
        return line.bytes
    }
}
