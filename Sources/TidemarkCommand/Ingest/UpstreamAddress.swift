import ArgumentParser

/// The source of missing events.
enum UpstreamAddress: Hashable, ExpressibleByArgument {
    /// A complete log, with one event a line.
    case file(path: String)

    init?(argument: String) {
        guard argument.hasPrefix("file:"), argument.utf8.count > 5 else { return nil }
        self = .file(path: String(argument.dropFirst(5)))
    }
}
