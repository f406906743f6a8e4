import ArgumentParser

/// Where missing events come from.
enum UpstreamAddress: Hashable, ExpressibleByArgument {
    /// A complete log, one event a line.
    case file(path: String)

    init?(argument: String) {
        guard argument.hasPrefix("file:"), argument.utf8.count > 5 else { return nil }
        self = .file(path: String(argument.dropFirst(5)))
    }
}
