import TidemarkModel

/// Libraries as people and as programs see them; the same in every command that shows them.
enum LibraryTable {
    static func write(_ statuses: [LibraryStatus], to output: Output) throws(Failure) {
        var table = Table([
            .init(title: "LIBRARY"), .init(title: "STATE"), .init(title: "EPOCH"),
            .init(title: "SEQUENCE", alignment: .right), .init(title: "LOST"),
        ])
        for status in statuses {
            table.append([
                status.library.bytes.isEmpty ? "(default)" : status.library.description, status.phase.rawValue,
                status.epoch.bytes.isEmpty ? "-" : status.epoch.description,
                status.cursor.map { String($0.rawValue) } ?? "-", lost(status.lost),
            ])
        }
        try table.write(to: output, columnCountMax: output.isTerminal ? output.columnCount : 160)
    }

    private static func lost(_ ranges: [LostRange]) -> String {
        guard !ranges.isEmpty else { return "-" }
        return ranges.map { range in
            range.first == range.last ? "\(range.first.rawValue)" : "\(range.first.rawValue)–\(range.last.rawValue)"
        }.joined(separator: ", ")
    }
}

extension JSONLine {
    /// `"libraries":{"<id>":{"epoch":"","sequence":…,"state":"live","lost":[[a,b]]}}`.
    ///
    /// - Source: contract section 9.
    mutating func libraries(_ statuses: [LibraryStatus]) {
        name("libraries")
        object { line in
            for status in statuses {
                line.name(status.library)
                line.object { line in
                    line.member("epoch", status.epoch)
                    line.member("sequence", status.cursor)
                    line.member("state", ByteString(status.phase.rawValue))
                    line.name("lost")
                    line.array { line in
                        for range in status.lost {
                            line.array { line in
                                line.value(range.first.rawValue)
                                line.value(range.last.rawValue)
                            }
                        }
                    }
                }
            }
        }
    }

    /// `"lines"` and `"events"` to `"messages"`: the bins of law L7.
    mutating func counts(_ counts: EventCounts) {
        member("lines", counts.lines)
        name("events")
        object { line in
            line.member("applied", counts.applied)
            line.member("duplicate", counts.duplicate)
            line.member("ignored", counts.ignored)
            line.member("quarantined", counts.quarantined)
            line.member("held", counts.held)
        }
        member("members_quarantined", counts.membersQuarantined)
        member("reconciled", counts.reconciled)
        member("blank", counts.blank)
        member("control", counts.control)
        member("messages", counts.messages)
    }
}
