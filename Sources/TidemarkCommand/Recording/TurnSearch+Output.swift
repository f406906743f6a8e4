import TidemarkModel
import TidemarkRecording
import TidemarkStore
import TidemarkJSON

extension TurnSearch {
    /// The result as one line of JSON.
    ///
    /// - Source: Protocol/schema/bisect.schema.json.
    var json: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("initial", initial)
            line.member("final", value)
            line.member("turns", count)
            line.name("first")
            if let first { line.turn(first) } else { line.value(json: Array("null".utf8)) }
            guard !turns.isEmpty else { return }
            line.name("all")
            line.array { line in
                for turn in turns { line.turn(turn) }
            }
        }
        return line.bytes
    }

    func write(to output: Output, listsAll: Bool) throws(Failure) {
        guard let first else {
            return try output.writeLine("it is \(initial) from the start to the end")
        }
        for turn in listsAll ? turns : [first] { try write(turn, to: output) }
        if listsAll { try output.writeLine("\(HumanText.count(count, "turn")); at the start it was \(initial)") }
    }

    private func write(_ turn: Turn, to output: Output) throws(Failure) {
        var text = output.style.paint("\(turn.value) after step \(turn.number) (\(turn.step))", .bold)
        if let line = turn.inputLine { text += ", line \(line) of the input" }
        if let library = turn.library { text += ", library \"\(Printable.text(library))\"" }
        if let sequence = turn.sequence { text += ", sequence \(sequence.rawValue)" }
        try output.writeLine(text)
        if let event = turn.event {
            try output.writeLine(
                "  " + Printable.excerpt(Printable.text(event), count: max(40, output.columnCount - 2)))
        }
    }
}

extension JSONLine {
    fileprivate mutating func turn(_ turn: TurnSearch.Turn) {
        object { line in
            line.member("value", turn.value)
            line.member("step", turn.number)
            line.member("name", Optional(turn.step))
            line.member("line", turn.line)
            line.member("at", turn.at)
            line.member("input_line", json: turn.inputLine.map { Array(String($0).utf8) })
            line.member("library_id", turn.library)
            line.member("sequence", turn.sequence)
            line.name("event")
            guard let event = turn.event, let text = String(validating: event, as: UTF8.self) else {
                return line.value(json: Array("null".utf8))
            }
            line.value(ByteString(text))
        }
    }
}
