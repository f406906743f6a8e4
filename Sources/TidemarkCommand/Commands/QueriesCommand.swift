import ArgumentParser
import TidemarkModel
import TidemarkSQLite
import TidemarkJSON

/// `tidemark queries`: lists the stored queries.
struct QueriesCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "queries",
        abstract: "List the stored queries.",
        discussion: """
            A query is a method and its input; stored are the list of entities that answered it, and the age of that \
            list. With --json, one object a line. With --keys the entities of each list are printed as well, in the \
            list's order.

            EXAMPLE
              tidemark queries --db cache.db --method files.list --keys
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var scope: LibraryOptions
    @OptionGroup var format: FormatOptions
    @Option(help: ArgumentHelp("Only queries of this method.", valueName: "name"))
    var method: String?
    @Flag(name: .customLong("keys"), help: "Print the keys of each list as well.")
    var showsKeys = false

    func run() async throws {
        let reader = try CacheReader(database)
        let output = Output.standard()
        if format.isJSON {
            try forEach(reader) { query throws(Failure) in try output.writeLine(json(query)) }
        } else if showsKeys {
            try writeLists(reader, to: output)
        } else {
            try writeTable(reader, to: output)
        }
        try output.flush()
        try reader.reportDamage()
    }

    private func forEach(_ reader: CacheReader, _ visit: (ReadQuery) throws(Failure) -> Void) throws(Failure) {
        try reader.forEachQuery(library: scope.library, method: method.map { ByteString($0) }, visit)
    }

    private func json(_ query: ReadQuery) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("library_id", query.key.library)
            line.member("method", query.key.method)
            line.member("input", json: query.key.input.bytes)
            line.member("resource_type", query.type)
            line.member("count", query.elementCount)
            line.member("local", query.isLocal)
            line.member("membership", json: query.membership.bytes.isEmpty ? nil : query.membership.bytes)
            line.member("tags", json: query.tags.bytes.isEmpty ? nil : query.tags.bytes)
            line.member("as_of", query.asOf)
            line.member("stored_at", ByteString(HumanText.timestamp(milliseconds: query.storedAt)))
            line.member("ttl", json: query.timeToLive.map { Array(QueriesCommand.seconds($0).utf8) })
            line.member(
                "stale_since", query.staleSince.map { ByteString(HumanText.timestamp(milliseconds: $0)) })
            guard showsKeys else { return }
            line.name("keys")
            line.array { line in
                for key in query.keys { line.value(key.text) }
            }
        }
        return line.bytes
    }

    /// Formats a duration in seconds, as `query.put` takes it, with decimals only if needed.
    private static func seconds(_ milliseconds: Int64) -> String {
        let whole = "\(milliseconds / 1_000)"
        let rest = milliseconds % 1_000
        return rest == 0 ? whole : "\(whole).\(String(rest + 1_000).dropFirst())"
    }

    private func writeTable(_ reader: CacheReader, to output: Output) throws(Failure) {
        let libraryCount = try reader.libraries().count
        let isMixed = scope.library == nil && libraryCount > 1
        var columns: [Table.Column] = [
            .init(title: "METHOD"), .init(title: "TYPE"), .init(title: "COUNT", alignment: .right),
            .init(title: "STORED"), .init(title: "STALE SINCE"), .init(title: "LIVES", alignment: .right),
            .init(title: "INPUT"),
        ]
        if isMixed { columns.insert(.init(title: "LIBRARY"), at: 0) }
        var table = Table(columns)
        var count = 0
        try forEach(reader) { query throws(Failure) in
            var cells = [
                query.key.method.description, query.type.description, HumanText.count(query.elementCount),
                HumanText.timestamp(milliseconds: query.storedAt),
                query.staleSince.map { HumanText.timestamp(milliseconds: $0) } ?? "-",
                query.timeToLive.map { HumanText.duration(milliseconds: $0) } ?? "-",
                // 2,000 bytes are enough for any terminal; an input may have megabytes.
                query.key.input.excerpt(byteCount: 2_000),
            ]
            if isMixed { cells.insert(query.key.library.description, at: 0) }
            table.append(cells)
            count += 1
        }
        guard count > 0 else { return try output.writeLine("No queries.") }
        try table.write(to: output, columnCountMax: output.isTerminal ? output.columnCount : 160)
    }

    private func writeLists(_ reader: CacheReader, to output: Output) throws(Failure) {
        var count = 0
        try forEach(reader) { query throws(Failure) in
            count += 1
            let input = Printable.excerpt(Printable.text(query.key.input), count: 200)
            let library = query.key.library.bytes.isEmpty ? "" : " of library \(Printable.text(query.key.library))"
            let state = query.staleSince == nil ? "" : ", stale"
            try output.writeLine(
                "\(output.style.paint(Printable.text(query.key.method), .bold)) \(input)\(library): "
                    + "\(HumanText.count(query.elementCount, "element"))\(state)")
            for key in query.keys { try output.writeLine("  \(Printable.text(key.text))") }
        }
        if count == 0 { try output.writeLine("No queries.") }
    }
}
