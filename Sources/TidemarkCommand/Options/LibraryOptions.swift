import ArgumentParser
import TidemarkModel

/// The option for the library of a command.
struct LibraryOptions: ParsableArguments {
    @Option(
        name: .customLong("library"),
        help: ArgumentHelp("Only this library; \"\" is the one of events that name none.", valueName: "id"))
    var id: String?

    /// The library that the user named; nil means all of them.
    var library: ByteString? { id.map { ByteString($0) } }
}
