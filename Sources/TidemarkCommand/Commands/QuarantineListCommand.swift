import ArgumentParser
import TidemarkModel
import TidemarkJSON

/// `tidemark quarantine list`: lists the records in quarantine.
struct QuarantineListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List quarantined lines, oldest first.",
        discussion: """
            The newest 10,000 are kept; all are counted.

            EXAMPLE
              tidemark quarantine list --db cache.db --reason missing_id
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var format: FormatOptions
    @Option(help: ArgumentHelp("Only lines with this reason.", valueName: "code"))
    var reason: QuarantineReason?
    @Option(help: ArgumentHelp("Continue after this record.", valueName: "number"))
    var after: Int64 = 0
    @Option(help: ArgumentHelp("The number of records at most, 1 to 10,000.", valueName: "n"))
    var limit = 100

    func validate() throws {
        guard (1...10_000).contains(limit) else { throw ValidationError("--limit takes 1 to 10000, not \(limit).") }
    }

    func run() async throws {
        let reader = try CacheReader(database)
        var records = try reader.quarantine(after: after, reason: reason, countMax: limit + 1)
        let hasNext = records.count > limit
        if hasNext { records.removeLast(records.count - limit) }
        let next = hasNext ? records.last?.number : nil
        let output = Output.standard()
        if format.isJSON {
            var line = JSONLine()
            line.object { line in
                line.name("quarantine")
                line.array { line in
                    for record in records { line.quarantine(record) }
                }
                line.member("next", json: next.map { Array(String($0).utf8) })
            }
            try output.writeLine(line.bytes)
        } else {
            try write(records, to: output)
            if let next { try output.writeLine(output.style.paint("There is more: pass --after \(next)", .dim)) }
        }
        try output.flush()
    }

    private func write(_ records: [QuarantineRecord], to output: Output) throws(Failure) {
        guard !records.isEmpty else { return try output.writeLine("Nothing in quarantine.") }
        var table = Table([
            .init(title: "NUMBER", alignment: .right), .init(title: "REASON"), .init(title: "LINE", alignment: .right),
            .init(title: "BYTE", alignment: .right), .init(title: "SEQUENCE", alignment: .right), .init(title: "TEXT"),
        ])
        for record in records {
            table.append([
                record.number.map(String.init) ?? "-", record.reason.code, String(record.line), String(record.offset),
                record.sequence.map { String($0.rawValue) } ?? "-",
                ByteString.excerpt(of: record.bytes, byteCount: 1_000),
            ])
        }
        try table.write(to: output, columnCountMax: output.isTerminal ? output.columnCount : 160)
    }
}

extension QuarantineReason: ExpressibleByArgument {
    /// Parses a reason's code, such as `missing_id`.
    public init?(argument: String) {
        self.init(code: argument)
    }

    /// The codes of all reasons.
    public static var allValueStrings: [String] { allCases.map(\.code) }
}
