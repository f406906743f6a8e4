import ArgumentParser
import TidemarkModel
import TidemarkJSON

/// `tidemark quarantine retry`: reads quarantined lines again. The code that uses the engine is in
/// `QuarantineRetryCommand+Engine.swift`.
struct QuarantineRetryCommand: AsyncParsableCommand {
    /// The results of a retry.
    struct Summary {
        var retriedCount = 0
        var appliedCount = 0
        /// How many records left quarantine without effect, because newer data is stored.
        var supersededCount = 0
        /// How many records were refused again and stay in quarantine.
        var remainingCount = 0
    }

    static let configuration = CommandConfiguration(
        commandName: "retry",
        abstract: "Retry quarantined lines, for example after an update of tidemark.",
        discussion: """
            A line that can be used now is applied and removed from quarantine. It never overwrites what a later event \
            wrote. Needs the database's lock: no ingest may run.

            EXAMPLE
              tidemark quarantine retry --db cache.db --all
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var format: FormatOptions
    @Flag(name: .customLong("all"), help: "Retry every record.")
    var isForAll = false
    @Argument(help: "Numbers that quarantine list shows.")
    var numbers: [Int64] = []

    func validate() throws {
        if isForAll != numbers.isEmpty { throw ValidationError("Name the records to retry, or pass --all.") }
    }

    func run() async throws {
        let summary = try await retry()
        let output = Output.standard()
        if format.isJSON {
            var line = JSONLine()
            line.object { line in
                line.member("retried", summary.retriedCount)
                line.member("applied", summary.appliedCount)
                line.member("superseded", summary.supersededCount)
                line.member("remaining", summary.remainingCount)
            }
            try output.writeLine(line.bytes)
        } else {
            try output.writeLine(
                "\(HumanText.count(summary.retriedCount)) retried: \(HumanText.count(summary.appliedCount)) applied, "
                    + "\(HumanText.count(summary.supersededCount)) older than what is stored, "
                    + "\(HumanText.count(summary.remainingCount)) still in quarantine")
        }
        try output.flush()
    }
}
