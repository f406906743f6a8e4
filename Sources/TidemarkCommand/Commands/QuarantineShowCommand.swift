import ArgumentParser
import TidemarkModel
import TidemarkJSON

/// `tidemark quarantine show`: prints one record of the quarantine.
struct QuarantineShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show one quarantined line in full.",
        discussion: """
            At most the first 4 KiB of a line are kept.

            EXAMPLE
              tidemark quarantine show --db cache.db 3
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var format: FormatOptions
    @Argument(help: "The number that quarantine list shows.")
    var number: Int64

    func validate() throws {
        guard number > 0 else { throw ValidationError("Records are numbered from 1, not \(number).") }
    }

    func run() async throws {
        let reader = try CacheReader(database)
        guard let record = try reader.quarantineRecord(number) else {
            throw Failure(
                .noInput, "not_found", "there is no record \(number) in quarantine", place: database.path,
                outcome: "nothing was done", advice: "tidemark quarantine list shows the numbers")
        }
        let output = Output.standard()
        if format.isJSON {
            var line = JSONLine()
            line.quarantine(record)
            try output.writeLine(line.bytes)
        } else {
            try write(record, to: output)
        }
        try output.flush()
    }

    private func write(_ record: QuarantineRecord, to output: Output) throws(Failure) {
        let rows = [
            ("what", JSONLine.name(of: record.kind)),
            ("reason", record.reason.code),
            ("where", "line \(record.line), byte \(record.offset)"),
            ("library", record.library.map { Printable.text($0) } ?? "not readable"),
            ("sequence", record.sequence.map { String($0.rawValue) } ?? "not readable"),
            ("received", HumanText.timestamp(milliseconds: record.receivedAt)),
            ("size", HumanText.byteCount(record.byteCount) + (record.isComplete ? "" : ", only its start was kept")),
        ]
        for (name, value) in rows {
            try output.writeLine(name + String(repeating: " ", count: 10 - name.count) + value)
        }
        try output.writeLine("")
        try output.writeLine(Printable.text(record.bytes))
    }
}
