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
            Checks the database file, every entity's checksum, and that the counts agree with the rows. Ends with 0 \
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
        let entities = HumanText.count(report.entityCount, "entity", "entities")
        let problems = report.isSound ? "nothing wrong" : HumanText.count(report.problemCount, "problem")
        try output.writeLine(
            "\(verdict): \(entities) of \(HumanText.byteCount(report.payloadByteCount)) read, \(problems) found")
    }

    private func json(_ report: VerifyReport) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("ok", report.isSound)
            line.member("entities", report.entityCount)
            line.member("payload_bytes", report.payloadByteCount)
            line.member("digest", ByteString(report.digest.description))
            line.member("problem_count", report.problemCount)
            line.name("problems")
            line.array { line in
                for problem in report.problems { line.value(ByteString(problem.description)) }
            }
        }
        return line.bytes
    }
}
