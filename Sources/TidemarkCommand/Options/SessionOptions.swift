import ArgumentParser
import Logging
import Tidemark
import TidemarkJetStream
import TidemarkModel

/// Options for the cache of a session, over pipes or HTTP.
struct SessionOptions: ParsableArguments {
    @Option(
        name: .customLong("library"),
        help: ArgumentHelp("The library of events and requests that name none.", valueName: "id"))
    var defaultLibrary = ""
    @Option(help: "The server's naming of types.")
    var profile: CacheConfiguration.Profile?
    @Option(help: ArgumentHelp("The time in which the host or upstream has to answer.", valueName: "seconds"))
    var fetchTimeout = 30.0
    @Option(
        name: .customLong("max-pending"),
        help: ArgumentHelp("The number of optimistic edits that may be pending at once.", valueName: "n"))
    var layerCountMax = Limits().layerCountMax
    @Option(help: "The lowest level to log: trace, debug, info, notice, warning, error or critical.")
    var logLevel = Logger.Level.warning

    /// How long a session may go without a write before it frees the memory that only writing needs.
    private static let spareMemoryInterval = Duration.milliseconds(500)

    func validate() throws {
        guard fetchTimeout > 0, fetchTimeout <= 86_400 else {
            throw ValidationError("--fetch-timeout takes more than 0 and at most 86400 seconds, not \(fetchTimeout).")
        }
        guard (0...Limits.layerCountCeiling).contains(layerCountMax) else {
            throw ValidationError("--max-pending takes 0 to \(Limits.layerCountCeiling), not \(layerCountMax).")
        }
    }

    /// How long the host or upstream may take to answer.
    var fetchDuration: Duration { .milliseconds(Int64(max(1, fetchTimeout * 1_000))) }

    var logger: Logger {
        var logger = Logger(label: "tidemark") { StreamLogHandler.standardError(label: $0) }
        logger.logLevel = logLevel
        return logger
    }

    /// Returns the configuration of a cache that serves a host interactively.
    func configuration(
        _ policy: CachePolicy, _ stream: StreamOptions, _ limits: LimitOptions, _ indexes: IndexOptions
    ) throws(Failure) -> CacheConfiguration {
        var configuration = CacheConfiguration()
        configuration.policy = policy
        configuration.defaultLibrary = ByteString(defaultLibrary)
        configuration.flush = .interactive
        configuration.spareMemoryInterval = SessionOptions.spareMemoryInterval
        if let profile { configuration.apply(profile) }
        if stream.from != nil {
            configuration.flush.byteCountMax = min(
                configuration.flush.byteCountMax, JetStreamFeed.unwrittenByteCountMax)
        }
        try limits.apply(to: &configuration)
        indexes.apply(to: &configuration, errors: Output.errors())
        configuration.limits.layerCountMax = layerCountMax
        configuration.logger = logger
        return configuration
    }
}

extension Logger.Level: @retroactive ExpressibleByArgument {}
