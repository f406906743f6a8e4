import TidemarkModel
import TidemarkSQLite
import TidemarkJSON

extension Examination {
    /// The findings as one line of JSON.
    ///
    /// - Source: Protocol/schema/doctor.schema.json.
    var json: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("path", Optional(ByteString(path)))
            line.member("level", Optional(ByteString(level.rawValue)))
            line.name("findings")
            line.array { line in
                for finding in findings { line.value(finding) }
            }
        }
        return line.bytes
    }

    /// Prints the findings for people, in sections, each with its level.
    func write(to output: Output) throws(Failure) {
        let style = output.style
        for topic in Finding.Topic.allCases {
            let own = findings.filter { $0.topic == topic }
            guard !own.isEmpty else { continue }
            try output.writeLine(style.paint(Examination.heading(topic), .bold))
            for finding in own { try write(finding, to: output) }
        }
        try output.writeLine(verdict(style))
    }

    private func write(_ finding: Finding, to output: Output) throws(Failure) {
        let style = output.style
        let mark =
            switch finding.level {
            case .ok: style.paint("ok     ", .green)
            case .note: style.paint("note   ", .cyan)
            case .warning: style.paint("warning", .yellow)
            case .problem: style.paint("problem", .red)
            }
        var text = finding.what
        if !finding.place.isEmpty, finding.place != path { text += " (\(finding.place))" }
        try output.writeLine("  \(mark)  \(Printable.text(text))")
        if !finding.advice.isEmpty {
            try output.writeLine("           " + style.paint("→ \(Printable.text(finding.advice))", .dim))
        }
    }

    private func verdict(_ style: Style) -> String {
        let name = Printable.text(path)
        func count(_ level: Finding.Level) -> Int { findings.count { $0.level == level } }
        return switch level {
        case .ok, .note: "\(name): \(style.paint("no problem", .green))"
        case .warning: "\(name): \(style.paint(HumanText.count(count(.warning), "warning"), .yellow)), no problem"
        case .problem:
            "\(name): \(style.paint(HumanText.count(count(.problem), "problem"), .red)), "
                + HumanText.count(count(.warning), "warning")
        }
    }

    private static func heading(_ topic: Finding.Topic) -> String {
        switch topic {
        case .file: "The file"
        case .machine: "The machine"
        case .neighbours: "Beside the file"
        case .contents: "Its content"
        }
    }

    /// The failure with which the command ends; nil if there is no problem.
    var failure: Failure? {
        guard level == .problem, let first = findings.first(where: { $0.level == .problem }) else { return nil }
        let status: ExitStatus
        let refusals: [FindingCode] = [
            .notOurs, .newerFormat, .codecMissing, .keyNeeded, .wrongKey, .notEncrypted,
        ]
        if refusals.contains(where: holds) {
            status = .configuration
        } else {
            status = holds(.missing) ? .noInput : .badData
        }
        return Failure(
            status, first.code.rawValue, first.what, place: first.place, outcome: "the database was not changed",
            advice: first.advice)
    }
}

extension JSONLine {
    fileprivate mutating func value(_ finding: Finding) {
        object { line in
            line.member("level", Optional(ByteString(finding.level.rawValue)))
            line.member("topic", Optional(ByteString(finding.topic.rawValue)))
            line.member("code", Optional(ByteString(finding.code.rawValue)))
            line.member("what", Optional(ByteString(finding.what)))
            line.member("where", Optional(ByteString(finding.place)))
            line.member("advice", Optional(ByteString(finding.advice)))
        }
    }
}
