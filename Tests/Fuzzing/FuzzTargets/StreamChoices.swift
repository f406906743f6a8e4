import TidemarkModel

/// A stream of events with faults, made from the choices of a fuzzer: libraries with their logs, envelopes, kinds,
/// resources, lines that are lost, repeated, moved, cut and spoiled.
///
/// There are few names and ids, so that events meet; numbers and spellings are the difficult ones.
struct StreamChoices {
    /// The lines that the transport delivers.
    private(set) var lines: [[UInt8]] = []
    /// The lines that were written, in their order: the upstream's log.
    private(set) var log: [UInt8] = []

    private var choices: ByteChoices
    /// Whether there is an upstream. The model asks it once and loses every number that it does not have; the engine
    /// asks again. So with an upstream nothing contradicts its log: no heartbeats, no other epochs, no line with a
    /// spoiled or made-up sequence.
    private let hasUpstream: Bool
    private var logs = [
        LibraryLog(name: "a"), LibraryLog(name: nil), LibraryLog(name: "B\u{E9} \\\"2\\\""),
    ]

    /// The log of one library, as its server writes it.
    private struct LibraryLog {
        /// The name in the form that it has between quotes.
        var name: String?
        var last: Int64 = 0
        var epoch: String?
    }

    private static let lineCountMax = 64

    init(_ choices: ByteChoices, hasUpstream: Bool) {
        self.choices = choices
        self.hasUpstream = hasUpstream
        while !self.choices.isAtEnd, lines.count < StreamChoices.lineCountMax { step() }
    }

    /// Returns the lines with their ends.
    func stream(hasCarriageReturns: Bool) -> [UInt8] {
        Array(lines.joined(separator: hasCarriageReturns ? [0x0D, 0x0A] : [0x0A]))
    }

    private mutating func step() {
        let index = choices.pick([0, 0, 0, 1, 2])
        switch choices.below(20) {
        case 0...11: emit(index)
        case 12:
            // The event is written to the log, and lost in the transport.
            emit(index)
            lines.removeLast()
        case 13: lines.append(lines.isEmpty ? [] : choices.pick(lines))
        case 14:
            let (left, right) = (choices.below(lines.count + 1), choices.below(lines.count + 1))
            if max(left, right) < lines.count { lines.swapAt(left, right) }
        case 15:
            guard let last = lines.popLast() else { return }
            lines.append(Array(last.prefix(choices.below(last.count + 1))))
        case 16 where !hasUpstream:
            guard var last = lines.popLast(), !last.isEmpty else { return }
            last[choices.below(last.count)] = choices.byte()
            lines.append(last.filter { $0 != 0x0A })
        case 17 where !hasUpstream: lines.append(choices.run().filter { $0 != 0x0A })
        case 16...18:
            let line = choices.pick(StreamChoices.strangeLines)
            if !hasUpstream || !line.contains("sequence") { lines.append(Array(line.utf8)) }
        default: beginAnew(index)
        }
    }

    private static let strangeLines = [
        "", " \t\r", "\"Subscribed\"", "{\"JsonOk\":{}}", "{\"Error\":1}", "\"Refresh\"", "17", "null", "[]", "[1]",
        "{}",
        "{\"jsonrpc\":\"2.0\",\"method\":\"x\"}", "[{\"jsonrpc\":\"2.0\"}]", "{\"a\":1,\"b\":2}", "{\"event\":null}",
        "{\"Event\":\"Refresh\"}", "{\"Event\":{\"event\":\"Refresh\"}}", "\u{FEFF}\"Refresh\"", "{\"a\":",
        "{\"sequence\":3,\"library_id\":\"a\",\"event\":nope}", "{\"kind\":\"Refresh\",\"envelope\":null}",
    ]

    // MARK: Events

    private mutating func emit(_ index: Int) {
        let (name, payload) = kind()
        let isSequenced = hasUpstream || !choices.chance(20)
        var fields: [String] = []
        if let library = logs[index].name { fields.append("\"library_id\":\"\(library)\"") }
        if isSequenced {
            let previous = logs[index].last
            logs[index].last += Int64(choices.pick([1, 1, 1, 1, 1, 2, 7]))
            if logs[index].last != previous + 1 || choices.chance(30) { fields.append("\"prev\":\(previous)") }
            fields.append("\"sequence\":\(logs[index].last)")
        }
        if let epoch = logs[index].epoch, !choices.chance(60) { fields.append("\"epoch\":\"\(epoch)\"") }
        if choices.chance(20) { fields.append(choices.pick(StreamChoices.otherFields)) }
        let line = Array(written(name, payload, fields).utf8)
        lines.append(line)
        if isSequenced { log += line + [0x0A] }
    }

    private static let otherFields = [
        "\"mutation_id\":\"m\"", "\"as_of\":null", "\"as_of\":5", "\"timestamp\":\"x\"", "\"epoch\":null",
        "\"note\":[{}]",
    ]

    private mutating func written(_ name: String, _ payload: String?, _ fields: [String]) -> String {
        let single = payload.map { "{\"\(name)\":\($0)}" } ?? "\"\(name)\""
        let kind = payload.map { "{\"type\":\"\(name)\",\"data\":\($0)}" } ?? "{\"type\":\"\(name)\"}"
        let space = choices.pick(["", "", "", " ", "\t"])
        let head = fields.joined(separator: ",\(space)") + (fields.isEmpty ? "" : ",")
        switch choices.below(fields.isEmpty ? 6 : 5) {
        case 0, 1: return "{\(head)\(space)\"event\":\(single)}"
        case 2: return "{\"envelope\":{\(fields.joined(separator: ","))}\(space),\"kind\":\(kind)}"
        case 3: return "{\"event\":\(single),\(head)\"envelope\":{}}"
        case 4: return "{\"Event\":\(space){\(head)\"event\":\(single)}}"
        default: return single
        }
    }

    private mutating func kind() -> (String, String?) {
        let type = "\"resource_type\":\"\(choices.pick(["file", "file", "entry", "tag", "a.b", "a-b", "bad type"]))\""
        switch choices.below(16) {
        case 0...4: return ("ResourceChanged", "{\(type),\"resource\":\(resource())}")
        case 5...7:
            return ("ResourceChanged", "{\(type),\"resource\":\(resource()),\"metadata\":\(metadata())}")
        case 8:
            let members = (0..<choices.below(4)).map { _ in resource() }.joined(separator: ",")
            let more = choices.pick(["", ",\"operation\":\"Index\"", ",\"metadata\":{}", ",\"metadata\":null"])
            return ("ResourceBatchChanged", "{\(type),\"resources\":[\(members)]\(more)}")
        case 9, 10: return ("ResourceDeleted", "{\(type),\"resource_id\":\(id())}")
        case 11: return ("BulkOperation", "{\(type),\"hints\":{\"a\":1}}")
        case 12: return ("Refresh", choices.chance(128) ? "{}" : nil)
        case 13: return ("Job\(choices.below(3))", choices.chance(128) ? "[1,{}]" : nil)
        case 14:
            return ("ResourceChanged", choices.pick(["{}", "null", "[]", "{\(type)}", "{\(type),\"resource\":7}"]))
        default:
            guard !hasUpstream else { return ("Custom", nil) }
            let last = logs[0].last + Int64(choices.pick([0, 0, 1, 3, -1]))
            return ("Heartbeat", "{\"last_sequence\":\(last)}")
        }
    }

    private mutating func beginAnew(_ index: Int) {
        guard !hasUpstream else { return }
        let epoch = "e\(choices.below(3))"
        logs[index].epoch = epoch
        logs[index].last = Int64(choices.pick([0, 0, 2, 9]))
        guard choices.chance(128) else { return }
        let library = logs[index].name.map { "\"library_id\":\"\($0)\"," } ?? ""
        lines.append(Array("{\(library)\"event\":{\"Reset\":{\"epoch\":\"\(epoch)\"}}}".utf8))
    }

    // MARK: Resources

    private mutating func id() -> String { choices.pick(StreamChoices.ids) }

    private static let ids = [
        "\"x\"", "\"y\"", "7", "\"7\"", "-0", "\"00000000-0000-4000-8000-00000000000a\"",
        "\"00000000-0000-4000-8000-00000000000A\"", "\"\\u0078\"", "\"caf\u{E9}\"", "\"cafe\u{301}\"", "\"a:b\"",
        "1.5", "null", "\"\"", "18446744073709551616", "\"\\ud800\"", "{}",
    ]

    private mutating func resource() -> String {
        var members = (0..<choices.below(4)).map { _ in member(depth: 0) }
        let name = choices.pick(["\"id\"", "\"id\"", "\"id\"", "\"uuid\"", "\"\\u0069d\""])
        members.insert("\(name):\(id())", at: choices.below(members.count + 1))
        return "{\(members.joined(separator: ","))}"
    }

    private mutating func metadata() -> String {
        switch choices.below(6) {
        case 0, 1: return "{}"
        case 2: return "{\"no_merge_fields\":[\"a\",\"\\u0062\"]}"
        case 3: return "{\"alternate_ids\":[\(id()),\(id())]}"
        case 4: return "{\"alternate_ids\":null,\"no_merge_fields\":null}"
        default: return choices.pick(["null", "[]", "{\"no_merge_fields\":7}", "{\"alternate_ids\":[{}]}"])
        }
    }

    private mutating func member(depth: Int) -> String {
        "\"\(choices.pick(["a", "b", "A", "B", "\\u0061", "id", "uuid", "e\u{301}", "\\ud800"]))\":\(value(depth: depth))"
    }

    private mutating func value(depth: Int) -> String {
        switch choices.below(depth > 3 ? 4 : 7) {
        case 0: return choices.pick(["1", "1.10", "-0", "1e400", "18446744073709551615", "0.1E-7"])
        case 1: return choices.pick(["null", "true", "false"])
        case 2:
            return choices.pick([
                "\"\"", "\"v\"", "\"\\u0000\"", "\"\\ud83d\\ude00\"", "\"\u{2028}\"", "\"\\udc00\\ud800\"",
            ])
        case 3: return choices.pick(["[]", "{}", "[ ]", "{ \"a\" : 1 }"])
        case 4: return "[\((0..<choices.below(3)).map { _ in value(depth: depth + 1) }.joined(separator: ","))]"
        default: return "{\((0..<choices.below(3)).map { _ in member(depth: depth + 1) }.joined(separator: ","))}"
        }
    }
}
