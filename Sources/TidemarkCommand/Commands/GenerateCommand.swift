import ArgumentParser
import TidemarkModel
import TidemarkTesting
import TidemarkJSON

/// `tidemark generate`: prints a synthetic stream.
struct GenerateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "generate",
        abstract: "Print a synthetic stream of events.",
        discussion: """
            One seed and one set of options give one stream, byte for byte, on every machine. Shares and rates are \
            written 0.01 or 1%. The stream goes to standard output, or to --output; --log-output also writes the same \
            events complete and in order, for ingest --upstream file:PATH. What was made is reported on standard \
            error, or on standard output with --output.

            EXAMPLE
              tidemark generate --ids 1000 --updates 4 --gap-rate 1% --log-output all.ndjson > events.ndjson
            """)

    @OptionGroup var options: GenerateOptions
    @OptionGroup var format: FormatOptions
    @Option(name: .customLong("output"), help: ArgumentHelp("Write the stream to this file.", valueName: "file"))
    var outputPath: String?
    @Option(name: .customLong("log-output"), help: ArgumentHelp("Write the full log to this file.", valueName: "file"))
    var logPath: String?

    func validate() throws {
        if let problem = options.settings.problem { throw ValidationError(problem + ".") }
    }

    func run() async throws {
        let output = if let outputPath { try Output.file(outputPath) } else { Output.standard() }
        let log: Output? = if let logPath { try Output.file(logPath) } else { nil }
        var stream = SyntheticStream(options.settings)
        while !output.isClosed, let chunk = stream.nextChunk(includingLog: log != nil) {
            try output.write(chunk.stream)
            try log?.write(chunk.log)
        }
        try output.flush()
        try log?.flush()
        try report(stream.counts, to: outputPath == nil ? .errors() : .standard())
    }

    private func report(_ counts: SyntheticCounts, to output: Output) throws(Failure) {
        if format.isJSON {
            try output.writeLine(json(counts))
        } else if outputPath != nil || output.isTerminal {
            try output.writeLine(
                "\(HumanText.count(counts.lines, "line")), \(HumanText.byteCount(counts.bytes)): "
                    + "\(HumanText.count(counts.events, "event")) with \(HumanText.count(counts.resources, "resource")), "
                    + "\(HumanText.count(counts.dropped)) missing, \(HumanText.count(counts.delayed)) late, "
                    + "\(HumanText.count(counts.duplicated)) twice, \(HumanText.count(counts.broken)) broken")
        }
        try output.flush()
    }

    private func json(_ counts: SyntheticCounts) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("lines", counts.lines)
            line.member("bytes", counts.bytes)
            line.member("events", counts.events)
            line.member("resources", counts.resources)
            line.member("batches", counts.batches)
            line.member("merges", counts.merges)
            line.member("deletes", counts.deletes)
            line.member("dropped", counts.dropped)
            line.member("delayed", counts.delayed)
            line.member("duplicated", counts.duplicated)
            line.member("broken", counts.broken)
            line.member("heartbeats", counts.heartbeats)
        }
        return line.bytes
    }
}
