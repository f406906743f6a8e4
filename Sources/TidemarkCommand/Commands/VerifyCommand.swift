import ArgumentParser
import TidemarkModel
import TidemarkSQLite
import TidemarkWire

/// `tidemark verify`: reads everything and checks it.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read every row and check it.",
        discussion: """
            Checks the database file, the checksum of every entity, query and pending edit, that the counts agree \
            with the rows, and that indexes say what the entities say. An entity that a query lists and that is not stored is counted as missing, not as damage. Ends with 0 \
            when all is well and with 65 when something is damaged. Changes nothing; may run beside an ingest. Two \
            caches that hold the same have the same digest.

            EXAMPLE
              tidemark verify --db cache.db
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
        let reader = try CacheReader(path: database.path)
        let report = try reader.verify()
        let output = Output.standard()
        if format.isJSON {
            try output.writeLine(json(report))
        } else {
            try write(report, to: output)
        }
        try output.flush()
        guard report.isSound else {
            throw Failure(
                .badData, "damaged", HumanText.count(report.problemCount, "problem") + " found", place: database.path,
                outcome: "damaged rows count as absent", advice: "feed the stream from its start into a new database")
        }
    }

    private func write(_ report: VerifyReport, to output: Output) throws(Failure) {
        let style = output.style
        for problem in report.problems.prefix(20) {
            try output.writeLine(style.paint(Printable.text(problem.description), .red))
        }
        let verdict = report.isSound ? style.paint("sound", .green) : style.paint("damaged", .red)
        var read = HumanText.count(report.entityCount, "entity", "entities")
        read += " of \(HumanText.byteCount(report.payloadByteCount))"
        if report.queryCount > 0 { read += " and \(HumanText.count(report.queryCount, "query", "queries"))" }
        if report.layerCount > 0 { read += " and \(HumanText.count(report.layerCount, "pending edit"))" }
        let problems = report.isSound ? "nothing wrong" : HumanText.count(report.problemCount, "problem")
        try output.writeLine("\(verdict): \(read) read, \(problems) found")
        if report.missingElementCount > 0 {
            let count = HumanText.count(report.missingElementCount, "element")
            try output.writeLine("\(count) of lists not stored, such as evicted ones; reading them is a miss")
        }
    }

    private func json(_ report: VerifyReport) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("ok", report.isSound)
            line.member("entities", report.entityCount)
            line.member("payload_bytes", report.payloadByteCount)
            line.member("digest", ByteString(report.digest.description))
            line.member("field_values", report.fieldValueCount)
            line.member("queries", report.queryCount)
            line.member("missing", report.missingElementCount)
            line.member("layers", report.layerCount)
            line.member("problem_count", report.problemCount)
            line.name("problems")
            line.array { line in
                for problem in report.problems { line.value(ByteString(problem.description)) }
            }
        }
        return line.bytes
    }
}
