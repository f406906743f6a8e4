import ArgumentParser
import TidemarkModel

/// `tidemark verify`: reads everything and checks it.
struct VerifyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "verify",
        abstract: "Read every row and check it.",
        discussion: """
            Checks the database file, every entity's checksum, and that the counts agree with the rows. Ends with 0 \
            when all is well and with 65 when something is damaged. Changes nothing; may run beside an ingest.

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
            for problem in report.problems.prefix(20) {
                try output.writeLine(output.style.paint(Printable.text(problem), .red))
            }
            let verdict = report.isSound ? "sound" : "damaged"
            try output.writeLine(
                output.style.paint(verdict, report.isSound ? .green : .red)
                    + ": \(HumanText.count(report.entityCount, "entity", "entities")) read, "
                    + "\(HumanText.count(report.problems.count, "problem")) found")
        }
        try output.flush()
        guard report.isSound else {
            throw Failure(
                .badData, "damaged", HumanText.count(report.problems.count, "problem") + " found", place: database.path,
                outcome: "damaged rows count as absent", advice: "feed the stream from its start into a new database")
        }
    }

    private func json(_ report: CacheReader.Report) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("ok", report.isSound)
            line.member("entities", report.entityCount)
            line.name("problems")
            line.array { line in
                for problem in report.problems { line.value(.init(problem)) }
            }
        }
        return line.bytes
    }
}
