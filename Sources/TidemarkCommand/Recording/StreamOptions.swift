import ArgumentParser
import Tidemark

/// How a plain stream of events is read; a recording says it itself.
struct StreamOptions: ParsableArguments {
    @Option(help: "How the server names types, for a plain stream.")
    var profile: CacheConfiguration.Profile?
    @OptionGroup var policy: PolicyOptions

    var isGiven: Bool { profile != nil || policy.file != nil }
}
