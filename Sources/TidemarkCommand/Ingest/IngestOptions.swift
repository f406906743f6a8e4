import ArgumentParser
import Tidemark

extension CacheConfiguration.Profile: ExpressibleByArgument {}

/// Options for reading a stream.
struct IngestOptions: ParsableArguments {
    @Flag(name: .customLong("ack"), help: "After each commit, print a line with the durable positions.")
    var printsAcknowledgements = false
    @Option(
        name: .customLong("library"),
        help: ArgumentHelp("The library of events that name none.", valueName: "id"))
    var defaultLibrary = ""
    @Option(help: "The server's naming of types.")
    var profile: CacheConfiguration.Profile?
    @Option(
        help: ArgumentHelp(
            "The upstream for missing events: a log as file:PATH, or a stream as nats://host:port/STREAM.",
            valueName: "address"))
    var upstream: UpstreamAddress?
    @Flag(name: .customLong("strict"), help: "End with 65 when any line, or batch member, could not be used.")
    var isStrict = false
    @OptionGroup(title: "JetStream") var stream: StreamOptions
    @Flag(help: "With --from: end at the message that is the last one now, instead of waiting for more.")
    var untilCaughtUp = false

    func validate() throws {
        if untilCaughtUp, stream.from == nil { throw ValidationError("--until-caught-up is for --from.") }
        try upstream?.validate()
    }
}
