import ArgumentParser
import Logging
import Tidemark
import TidemarkJetStream
import TidemarkModel

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `tidemark ingest`: applies a stream of events. The code that uses the engine is in `IngestCommand+Engine.swift`.
struct IngestCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ingest",
        abstract: "Apply a stream of events from standard input.",
        discussion: """
            Reads one event a line until the input ends, and prints one summary object. Bad lines never end it: they \
            go to quarantine. SIGINT and SIGTERM end the reading; what was read is written, and the summary says \
            \"interrupted\":true. With --from the events come from a JetStream stream, behind the cursors of the \
            database, until a signal or --until-caught-up ends it.

            EXAMPLE
              tidemark ingest --db cache.db < events.ndjson
              tidemark ingest --db cache.db --ack --upstream file:complete.ndjson < events.ndjson
              tidemark ingest --db cache.db --index file./kind < events.ndjson
              tidemark ingest --db cache.db --from nats://localhost:4222/EVENTS --until-caught-up
            """)

    @OptionGroup var database: DatabaseOptions
    @OptionGroup var options: IngestOptions
    @OptionGroup var policy: PolicyOptions
    @OptionGroup(title: "Limits") var limits: LimitOptions
    @OptionGroup(title: "Indexes") var indexes: IndexOptions
    @OptionGroup(title: "Recording") var recording: RecordOptions
    @OptionGroup var format: FormatOptions

    func run() async throws {
        try Recorder.check(recording)
        let policy = try policy.policy()
        let output = Output.standard()
        let errors = Output.errors()
        if case .file(let path) = options.upstream { try EngineStart.checkReadable(path) }
        let input = try source(errors)
        let signals = SignalWatch { input.stop() }
        // Signals are watched until the last commit, so that a second signal ends the process when a flush hangs.
        defer { signals.end() }
        var line = ProgressLine(errors)
        let summary = try await ingest(input, policy, errors: errors) { progress throws(Failure) in
            try line.show(progress)
        }
        try line.clear()
        if output.isTerminal, !format.isJSON {
            try summary.write(to: output)
        } else {
            try output.writeLine(summary.json)
        }
        try output.flush()
        if options.isStrict, summary.hasBadLines { throw strictFailure(summary) }
    }

    private func source(_ errors: Output) throws -> IngestSource {
        if let address = try options.stream.address {
            var settings = options.stream.settings
            settings.endsCaughtUp = options.untilCaughtUp
            settings.firstContactTimeout = .seconds(10)
            var logger = Logger(label: "tidemark") { StreamLogHandler.standardError(label: $0) }
            logger.logLevel = .notice
            return .jetStream(JetStreamFeed(address, settings: settings, logger: logger))
        }
        let input: DescriptorInput
        do throws(InputError) {
            input = try DescriptorInput(STDIN_FILENO)
        } catch {
            throw EngineStart.failure(error)
        }
        if input.isTerminal {
            try errors.writeLine("tidemark: reading events from the terminal; Ctrl-D ends them")
            try errors.flush()
        }
        return .descriptor(input)
    }

    private func strictFailure(_ summary: IngestSummary) -> Failure {
        Failure(
            .badData, "bad_lines",
            "\(HumanText.count(summary.counts.quarantined, "line")) and "
                + "\(HumanText.count(summary.counts.membersQuarantined, "batch member")) could not be used",
            place: "standard input", outcome: "they are in quarantine, the rest was applied",
            advice: "look at them with tidemark quarantine list --db \(database.path)")
    }
}
