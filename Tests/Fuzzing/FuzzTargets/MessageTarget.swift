import TidemarkJetStream
import TidemarkModel
import TidemarkWire

/// Bodies of messages of a stream: each becomes one line, of one event, with the place of the message.
enum MessageTarget {
    static let target = FuzzTarget("message", byteCountMax: 4_096, .now(check))

    private static func check(_ bytes: [UInt8]) throws {
        var lines: [UInt8] = []
        StreamMessageLine.append(bytes, library: "L", sequence: 9, previous: 4, epoch: "S@t", to: &lines)
        try require(lines.last == UInt8(ascii: "\n"), "the line has no end")
        let batches = try EventDecoder(limits: Limits()).batches(of: lines)
        let events = batches.flatMap(\.events)
        try require(events.count == 1, "\(events.count) events of one body: \(lines.text)")
        try require(batches.reduce(0) { $0 + $1.lines.count } == 1, "a body of several lines: \(lines.text)")
        let event = events[0]
        try require(event.kind != .message, "a body became a message of a session: \(lines.text)")
        try require(
            event.sequence == EventSequence(9), "the number is \(String(describing: event.sequence)): \(lines.text)")
        try require(event.kind != .heartbeat && event.kind != .reset, "a body rules the log: \(lines.text)")
        guard event.kind != .unusable else { return }
        try require(event.previous == EventSequence(4), "another number came before: \(lines.text)")
        let (library, epoch) = batches[0].withBytes { (Array($0[event.library]), Array($0[event.epoch])) }
        try require(library.text == "L" && epoch.text == "S@t", "of another log: \(lines.text)")
    }
}
