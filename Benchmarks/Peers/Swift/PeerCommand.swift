import Foundation

/// `tidemark-peers NAME --workload DIR --scratch DIR`: measures one peer and prints one object.
///
/// `tidemark-peers NAME --scratch DIR --answer ID | --answer-list` is what the peer starts to see how long a new process takes
/// until it has answered.
@main
enum PeerCommand {
    private static let names = ["naive", "grdb", "tidemark", "tidemark-small", "tidemark-interactive"]

    private static func peer(_ name: String) -> (any Peer.Type)? {
        switch name {
        case "naive": NaivePeer.self
        case "grdb": RecordPeer.self
        case "tidemark": TidemarkPeer.self
        case "tidemark-small": SmallTidemarkPeer.self
        case "tidemark-interactive": InteractiveTidemarkPeer.self
        default: nil
        }
    }

    static func main() async throws {
        var arguments = CommandLine.arguments.dropFirst()
        guard let name = arguments.popFirst(), let peer = peer(name) else { usage() }
        var values: [String: String] = [:]
        while let option = arguments.popFirst() {
            values[option] = option == "--answer-list" ? "" : arguments.popFirst()
        }
        guard let scratch = values["--scratch"].map({ URL(fileURLWithPath: $0) }) else { usage() }
        if let id = values["--answer"] {
            return print(try await peer.answer(id, in: scratch) ?? "", to: STDOUT_FILENO)
        }
        if values["--answer-list"] != nil {
            return print(try await peer.answerList(in: scratch) ?? "", to: STDOUT_FILENO)
        }
        guard let folder = values["--workload"] else { usage() }
        var figures = try await peer.measure(try Workload(URL(fileURLWithPath: folder)), in: scratch)
        figures.name = name
        print(try figures.json, to: STDOUT_FILENO)
    }

    private static func usage() -> Never {
        print(
            "usage: tidemark-peers \(names.joined(separator: "|")) --workload DIR --scratch DIR",
            to: STDERR_FILENO)
        exit(64)
    }

    /// Unbuffered: whoever waits for the line has it at once.
    private static func print(_ line: String, to descriptor: Int32) {
        FileHandle(fileDescriptor: descriptor).write(Data((line + "\n").utf8))
    }
}

/// What can be measured with W.
protocol Peer {
    static func measure(_ workload: Workload, in scratch: URL) async throws -> Figures

    /// Opens what a measurement left, and gives an entity, in whatever form.
    static func answer(_ id: String, in scratch: URL) async throws -> String?

    /// The same with the first list.
    static func answerList(in scratch: URL) async throws -> String?
}
