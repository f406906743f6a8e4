import ArgumentParser
import Tidemark

/// Options for a plain stream; a recording contains them itself.
struct ReplayedStreamOptions: ParsableArguments {
    @Option(help: "The server's naming of types, for a plain stream.")
    var profile: CacheConfiguration.Profile?
    @OptionGroup var policy: PolicyOptions

    var isGiven: Bool { profile != nil || policy.file != nil }
}
