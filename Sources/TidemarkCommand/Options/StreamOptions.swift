import ArgumentParser
import TidemarkJetStream

/// Options for a JetStream stream as the source of events.
///
/// The address is kept as text: the parser would print a malformed one, and it may contain a password.
struct StreamOptions: ParsableArguments {
    @Option(
        name: .customLong("from"),
        help: ArgumentHelp(
            "Read events from a JetStream stream: nats://[user:password@|token@]host:port/STREAM[?prefix=…&libraries=a,b|shard=i/n].",
            valueName: "address"))
    var from: String?
    @Option(
        name: .customLong("jetstream-sequence"),
        help: "Where an event's number comes from: stream (the message's number) or body.")
    var numbering = ReadingSettings.Numbering.stream
    @Option(help: "Where a new database begins: first (the first message of the stream) or new.")
    var start = ReadingSettings.Start.first

    func validate() throws {
        if from == nil, numbering != .stream { throw ValidationError("--jetstream-sequence is for --from.") }
        if from == nil, start != .first { throw ValidationError("--start is for --from.") }
        _ = try address
    }

    /// The address; nil if no stream is read.
    ///
    /// - Throws: `ValidationError` for a malformed address, without its credentials.
    var address: JetStreamAddress? {
        get throws { try from.map { try StreamOptions.address($0, option: "--from") } }
    }

    var settings: ReadingSettings {
        var settings = ReadingSettings()
        settings.numbering = numbering
        settings.start = start
        return settings
    }

    /// Parses an address; `option` names the option in errors.
    static func address(_ text: String, option: String) throws -> JetStreamAddress {
        do throws(JetStreamError) {
            return try JetStreamAddress(text)
        } catch {
            throw ValidationError("\(option): \(error.message). \(error.advice).")
        }
    }
}

extension ReadingSettings.Numbering: ExpressibleByArgument {}
extension ReadingSettings.Start: ExpressibleByArgument {}
