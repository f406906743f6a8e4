import ArgumentParser
import Tidemark

extension CacheConfiguration.Profile: ExpressibleByArgument {}

/// The options for reading a stream.
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
        help: ArgumentHelp("The upstream for missing events: a log file, as file:PATH.", valueName: "file:path"))
    var upstream: UpstreamAddress?
    @Flag(name: .customLong("strict"), help: "End with 65 when any line, or batch member, could not be used.")
    var isStrict = false
}
