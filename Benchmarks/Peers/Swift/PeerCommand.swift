import Foundation

/// The command `tidemark-peers NAME --workload DIR --scratch DIR`, which measures one peer and prints one object.
///
/// The peer itself starts `tidemark-peers NAME --scratch DIR --answer ID | --answer-list` to measure how long a new
/// process takes to answer.
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

    /// Prints a line without buffering, so that a waiting reader gets it at once.
    private static func print(_ line: String, to descriptor: Int32) {
        FileHandle(fileDescriptor: descriptor).write(Data((line + "\n").utf8))
    }
}

/// A design that can be measured with workload W.
protocol Peer {
    /// Measures all figures of the design, with its files in a scratch folder.
    static func measure(_ workload: Workload, in scratch: URL) async throws -> Figures

    /// Opens the files that a measurement left, and returns an entity in any form; nil if it is absent.
    static func answer(_ id: String, in scratch: URL) async throws -> String?

    /// Opens the files that a measurement left, and returns the first list in any form; nil if it is absent.
    static func answerList(in scratch: URL) async throws -> String?
}
