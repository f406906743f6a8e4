import ArgumentParser
import Tidemark
import TidemarkJetStream
import TidemarkModel

/// The source of missing events.
enum UpstreamAddress: Hashable, ExpressibleByArgument {
    /// A complete log, with one event a line.
    case file(path: String)
    /// A JetStream stream, whose events have numbers of their own. Kept as text, which may hold a password.
    case jetStream(address: String)

    init?(argument: String) {
        if argument.hasPrefix("nats://") || argument.hasPrefix("tls://") {
            self = .jetStream(address: argument)
            return
        }
        guard argument.hasPrefix("file:"), argument.utf8.count > 5 else { return nil }
        self = .file(path: String(argument.dropFirst(5)))
    }

    /// Refuses an address that is malformed.
    func validate() throws {
        if case .jetStream(let address) = self { _ = try StreamOptions.address(address, option: "--upstream") }
    }

    /// Returns the upstream.
    ///
    /// - Throws: ``Failure`` when a log cannot be read.
    func open(defaultLibrary: ByteString, limits: Limits) throws -> any Upstream {
        switch self {
        case .file(let path):
            try EngineStart.checkReadable(path)
            return FileUpstream(path: path, defaultLibrary: defaultLibrary, limits: limits)
        case .jetStream(let address):
            return JetStreamUpstream(try StreamOptions.address(address, option: "--upstream"), numbering: .body)
        }
    }
}
