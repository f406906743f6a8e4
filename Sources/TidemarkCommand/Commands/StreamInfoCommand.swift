import ArgumentParser
import TidemarkJetStream
import TidemarkModel
import TidemarkJSON

/// `tidemark stream info`: shows a stream's settings and state.
struct StreamInfoCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "info",
        abstract: "Show a stream's settings and state.",
        discussion: """
            EXAMPLE
              tidemark stream info --to nats://localhost:4222/EVENTS
              tidemark stream info --to nats://localhost:4222/EVENTS --json
            """)

    @Option(
        name: .customLong("to"),
        help: ArgumentHelp("The stream: nats://host:port/STREAM[?prefix=…].", valueName: "address"))
    var target: String
    @OptionGroup var format: FormatOptions

    func validate() throws { _ = try StreamOptions.address(target, option: "--to") }

    func run() async throws {
        let address = try StreamOptions.address(target, option: "--to")
        let status: StreamStatus
        do {
            status = try await StreamAdministration(address).status()
        } catch let error as JetStreamError {
            throw Failure(error, place: "--to", outcome: "nothing was changed")
        }
        try StreamInfoCommand.show(status, address, isJSON: format.isJSON)
    }

    static func show(_ status: StreamStatus, _ address: JetStreamAddress, isJSON: Bool) throws(Failure) {
        let output = Output.standard()
        if isJSON {
            try output.writeLine(json(status))
        } else {
            for line in words(status, address) { try output.writeLine(Printable.text(line)) }
        }
        try output.flush()
    }

    private static func json(_ status: StreamStatus) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("stream", ByteString(status.name))
            line.member("epoch", ByteString(status.epoch))
            line.name("subjects")
            line.array { line in for subject in status.subjects { line.value(ByteString(subject)) } }
            line.member("messages", status.messageCount)
            line.member("bytes", status.byteCount)
            line.member("first_sequence", status.firstSequence)
            line.member("last_sequence", status.lastSequence)
            line.member("replicas", status.replicaCount)
            line.member("storage", ByteString(status.storage))
            line.member("max_bytes", status.byteCountMax < 0 ? nil : EventSequence(status.byteCountMax))
            if status.ageMax > 0 {
                line.member("max_age", thousandths: status.ageMax / 1_000_000)
            } else {
                line.member("max_age", json: nil)
            }
            line.member("duplicate_window", thousandths: status.duplicateWindow / 1_000_000)
            line.member("direct_gets", status.allowsDirectGets)
            line.member("leader", status.leader.map { ByteString($0) })
        }
        return line.bytes
    }

    private static func words(_ status: StreamStatus, _ address: JetStreamAddress) -> [String] {
        var lines = [
            "stream \(status.name), made \(status.created)",
            "  subjects \(status.subjects.joined(separator: ", ")): one for each library, \(address.prefix).<library>",
            "  \(HumanText.count(status.messageCount, "message")), numbers \(status.firstSequence) to \(status.lastSequence), "
                + HumanText.byteCount(status.byteCount),
            "  \(status.storage) storage, \(HumanText.count(Int64(status.replicaCount), "copy", "copies"))"
                + (status.leader.map { ", led by \($0)" } ?? ""),
            "  repeated messages are recognized for "
                + HumanText.duration(milliseconds: status.duplicateWindow / 1_000_000),
        ]
        if status.byteCountMax >= 0 {
            lines.append("  past \(HumanText.byteCount(status.byteCountMax)) the oldest messages are removed")
        }
        if status.ageMax > 0 {
            lines.append("  messages are removed after \(HumanText.duration(milliseconds: status.ageMax / 1_000_000))")
        }
        if !status.allowsDirectGets {
            lines.append(
                "  direct gets are not allowed: a reader begins with the first message; allow them (allow_direct)")
        }
        return lines
    }
}
