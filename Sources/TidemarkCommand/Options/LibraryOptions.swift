import ArgumentParser
import TidemarkModel

/// Which library a command is about.
struct LibraryOptions: ParsableArguments {
    @Option(
        name: .customLong("library"),
        help: ArgumentHelp("Only this library; \"\" is the one of events that name none.", valueName: "id"))
    var id: String?

    /// nil: all of them.
    var library: ByteString? { id.map { ByteString($0) } }
}
