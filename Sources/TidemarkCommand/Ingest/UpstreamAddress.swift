import ArgumentParser
import Tidemark
import TidemarkJetStream
import TidemarkModel

/// Where to get missing events from.
enum UpstreamAddress: Hashable, ExpressibleByArgument {
    /// A complete log in a file, one event per line.
    case file(path: String)
    /// A JetStream stream whose events carry their own sequences. Kept as text, which may contain a password.
    case jetStream(address: String)

    init?(argument: String) {
        if argument.hasPrefix("nats://") || argument.hasPrefix("tls://") {
            self = .jetStream(address: argument)
            return
        }
        guard argument.hasPrefix("file:"), argument.utf8.count > 5 else { return nil }
        self = .file(path: String(argument.dropFirst(5)))
    }

    /// Refuses a malformed address.
    func validate() throws {
        if case .jetStream(let address) = self { _ = try StreamOptions.address(address, option: "--upstream") }
    }

    /// Returns the upstream.
    ///
    /// - Throws: ``Failure`` if the log cannot be read.
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
