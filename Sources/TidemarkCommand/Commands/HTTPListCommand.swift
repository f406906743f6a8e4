import ArgumentParser
import Foundation
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkSession
import TidemarkStore
import TidemarkJSON

/// `tidemark http list`: lists stored responses.
struct HTTPListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List stored HTTP answers.",
        discussion: """
            By library and URL. With --json one entry a line, in the form of http.list. Answers that end with a session are \
            not shown.

            EXAMPLE
              tidemark http list --db cache.db --prefix https://example.com/
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var format: FormatOptions
    @Option(help: ArgumentHelp("Only URLs that begin so.", valueName: "text"))
    var prefix: String?

    func run() async throws {
        let reader = try CacheReader(database)
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        let entries = try reader.httpAnswers(library: scope.library, prefix: prefix.map { ByteString($0) })
            .compactMap { HTTPEntry($0, at: now) }
        let output = Output.standard()
        if format.isJSON {
            for entry in entries {
                var line = JSONLine()
                line.entry(entry)
                try output.writeLine(line.bytes)
            }
        } else if entries.isEmpty {
            try output.writeLine("No stored answers.")
        } else {
            var table = Table([
                .init(title: "STATUS", alignment: .right), .init(title: "SIZE", alignment: .right),
                .init(title: "AGE", alignment: .right), .init(title: "FRESH FOR", alignment: .right),
                .init(title: "HITS", alignment: .right), .init(title: "KEY"),
            ])
            for entry in entries {
                table.append([
                    "\(entry.status)", HumanText.count(Int(entry.byteCount)),
                    HumanText.duration(milliseconds: entry.age * 1_000),
                    entry.freshnessLeft > 0 ? HumanText.duration(milliseconds: entry.freshnessLeft * 1_000) : "stale",
                    HumanText.count(Int(entry.hitCount)), entry.key.description,
                ])
            }
            try table.write(to: output, columnCountMax: output.isTerminal ? output.columnCount : 400)
        }
        try output.flush()
    }
}

/// `tidemark http show`: prints the head and body of stored responses.
struct HTTPShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a stored HTTP answer.",
        discussion: """
            Prints the stored head and body of every answer of a URL; nobody is asked. With --json one answer a line: \
            the entry of http.list with headers and body. A body that fails its check is reported, with status 65.

            EXAMPLE
              tidemark http show https://example.com/ --db cache.db
            """)

    @Argument(help: ArgumentHelp("The URL.", valueName: "url"))
    var url: String
    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
        let url = try HTTPInvalidateCommand.url(url)
        let reader = try CacheReader(database)
        let records = try reader.httpAnswers(library: scope.library, prefix: url).filter { $0.url == url }
        guard !records.isEmpty else {
            throw Failure(
                .noInput, "not_found", "no answer of this URL is stored", advice: "fetch it with tidemark http get")
        }
        let output = Output.standard()
        let now = Int64(Date().timeIntervalSince1970 * 1_000)
        for record in records {
            guard let head = HTTPEntry.head(record), let entry = HTTPEntry(record, at: now) else { continue }
            guard let body = try reader.httpBody(record.number) else {
                try output.flush()
                throw Failure(
                    .badData, "damaged", "the body of \(Printable.text(entry.key)) fails its check",
                    advice: "fetch it again, or remove it with tidemark http invalidate")
            }
            if format.isJSON {
                var line = JSONLine()
                line.object { line in
                    line.members(of: entry)
                    line.headers(head.fields)
                    line.body(body, isText: body.isEmpty || HTTPText.isText(head.fields))
                }
                try output.writeLine(line.bytes)
                continue
            }
            try output.writeLine("HTTP \(head.status) \(Printable.text(head.reason))")
            for field in head.fields.fields {
                try output.writeLine("\(Printable.text(field.name)): \(Printable.text(field.value))")
            }
            try output.writeLine("")
            try output.write(body)
        }
        try output.flush()
    }
}
