import ArgumentParser
import TidemarkModel

/// The option `--library` of a command that reads one library or all.
struct LibraryOptions: ParsableArguments {
    @Option(
        name: .customLong("library"),
        help: ArgumentHelp("The library; \"\" is the one of events that name none.", valueName: "id"))
    var id: String?

    /// The library that the user named; nil for all libraries.
    var library: ByteString? { id.map { ByteString($0) } }
}
