import ArgumentParser
import Dispatch
import Synchronization
import TidemarkJetStream
import TidemarkModel
import TidemarkWire
import Tidemark

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// `tidemark publish`: publishes event lines to a JetStream stream.
struct PublishCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "publish",
        abstract: "Publish a stream of events from standard input to a JetStream stream.",
        discussion: """
            Sends each line as it is to the subject of its library, in order. Nothing is lost, doubled or reordered when \
            servers fail: what was not confirmed is sent again, and the server recognizes it by its mutation_id, or by \
            its epoch, library and sequence. Broken lines are skipped and counted. Prints one summary object.

            EXAMPLE
              tidemark publish --to nats://localhost:4222/EVENTS < events.ndjson
              tidemark publish --to nats://localhost:4222/EVENTS --id-from line --id-prefix import-7- --ack < events.ndjson
            """)

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp("The stream: nats://host:port/STREAM[?prefix=…].", valueName: "address"))
    var target: String
    @Option(help: ArgumentHelp("The library of events that name none.", valueName: "id"))
    var library = ""
    @Option(
        help: "The id of a line without mutation_id and sequence: line (its number) or content (a hash).")
    var idFrom: PublishSettings.IDSource?
    @Option(help: ArgumentHelp("The text before the number of --id-from line.", valueName: "text"))
    var idPrefix = ""
    @Flag(help: "Others publish to the same libraries: each line waits for the one before.")
    var shared = false
    @Flag(help: "Skip and count lines that are larger than the server admits, instead of ending.")
    var skipOversize = false
    @Flag(name: .customLong("ack"), help: "After each confirmed part, print a line with its end.")
    var printsAcknowledgements = false
    @Flag(name: .customLong("strict"), help: "End with 65 when any line was skipped.")
    var isStrict = false

    func validate() throws {
        _ = try StreamOptions.address(target, option: "--to")
        if !idPrefix.isEmpty, idFrom != .line { throw ValidationError("--id-prefix is for --id-from line.") }
        guard idPrefix.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
            throw ValidationError("--id-prefix takes printable ASCII without spaces.")
        }
    }

    func run() async throws {
        let address = try StreamOptions.address(target, option: "--to")
        var settings = PublishSettings()
        settings.library = ByteString(library)
        settings.idSource = idFrom
        settings.idPrefix = idPrefix
        settings.isShared = shared
        settings.skipsOversize = skipOversize
        let input: DescriptorInput
        do throws(InputError) {
            input = try DescriptorInput(STDIN_FILENO)
        } catch {
            throw EngineStart.failure(error)
        }
        let signals = SignalWatch { input.stop() }
        defer { signals.end() }
        let publication = Publication(
            address: address, settings: settings, input: input, printsAcknowledgements: printsAcknowledgements)
        let result = await publication.perform()
        let output = Output.standard()
        try output.writeLine(result.json)
        try output.flush()
        if let failure = result.failure { throw failure }
        if isStrict, result.summary.skippedCount > 0 {
            throw Failure(
                .badData, "bad_lines", "\(HumanText.count(result.summary.skippedCount, "line")) could not be published",
                place: "standard input", outcome: "the rest was published",
                advice: "look at them with tidemark ingest --db new.db and tidemark quarantine list")
        }
    }
}

extension PublishSettings.IDSource: ExpressibleByArgument {}

/// One run of `publish`: reads and publishes lines on a thread that may block.
private struct Publication: Sendable {
    var address: JetStreamAddress
    var settings: PublishSettings
    var input: DescriptorInput
    var printsAcknowledgements: Bool

    /// The result of a run.
    struct Result: Sendable {
        var summary = PublishSummary()
        var milliseconds: Int64 = 0
        var failure: Failure?

        /// The summary as one line of JSON.
        ///
        /// - Source: Protocol/jetstream.md, publishing.
        var json: [UInt8] {
            var line = JSONLine()
            line.object { line in
                line.member("lines", summary.lineCount)
                line.member("published", summary.publishedCount)
                line.member("duplicates", summary.duplicateCount)
                line.member("skipped", summary.skippedCount)
                line.member("last_sequence", summary.lastSequence.map { EventSequence($0) })
                line.member("seconds", thousandths: milliseconds)
            }
            return line.bytes
        }
    }

    private static let chunkByteCount = 256 << 10

    func perform() async -> Result {
        await withCheckedContinuation { continuation in
            DispatchQueue(label: "tidemark.publish").async { continuation.resume(returning: publish()) }
        }
    }

    private func publish() -> Result {
        let clock = ContinuousClock()
        let start = clock.now
        var result = Result()
        do {
            var publisher = try StreamPublisher(address, settings, isStopped: { [input] in input.wasStopped })
            do {
                try publish(&publisher)
            } catch {
                result.failure = failure(error, publisher.confirmedLine)
            }
            result.summary = publisher.summary
        } catch {
            result.failure = failure(error, 0)
        }
        result.milliseconds = (clock.now - start).milliseconds
        return result
    }

    private func failure(_ error: any Error, _ confirmedLine: Int64) -> Failure {
        let outcome =
            confirmedLine > 0 ? "the lines up to \(confirmedLine) are published" : "no line is known to be published"
        switch error {
        case let error as JetStreamError: return Failure(error, place: "--to", outcome: outcome)
        case let error as InputError: return EngineStart.failure(error)
        case let error as Failure: return error
        default:
            return Failure(.internal, "internal", "\(error)", outcome: outcome, advice: "report this")
        }
    }

    private func publish(_ publisher: inout StreamPublisher) throws {
        var framer = LineFramer()
        let decoder = try EventDecoder()
        var acknowledged: Int64 = 0
        while true {
            let count = try framer.read(byteCountMax: Publication.chunkByteCount) { space throws(InputError) in
                try input.read(into: space)
            }
            if count == 0 { framer.finish() }
            for block in framer.takeBlocks() { try publisher.publish(try decoder.decode(block)) }
            // Whoever feeds a pipe waits for confirmation of what was sent, so confirm before waiting for more input.
            if count == 0 || !input.hasUnread() { try publisher.finish() }
            if printsAcknowledgements { try acknowledge(publisher, &acknowledged) }
            if count == 0 { return }
        }
    }

    private func acknowledge(_ publisher: StreamPublisher, _ acknowledged: inout Int64) throws(Failure) {
        guard publisher.confirmedLine > acknowledged else { return }
        acknowledged = publisher.confirmedLine
        var line = JSONLine()
        line.object { line in
            line.name("ack")
            line.object { line in
                line.member("lines", acknowledged)
                line.member("sequence", publisher.summary.lastSequence.map { EventSequence($0) })
            }
        }
        let output = Output.standard()
        try output.writeLine(line.bytes)
        try output.flush()
    }
}
