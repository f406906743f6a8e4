import TidemarkModel

extension JSONLine {
    /// Writes `"libraries":{"<id>":{"epoch":"","sequence":…,"state":"live","lost":[[a,b]]}}`.
    ///
    /// - Parameters:
    ///   - statuses: The libraries in the order in which they are written.
    ///   - showsUnknowable: True to add `"unknowable":true` to a library whose log can drop events without a trace.
    /// - Source: Protocol/schema/values.schema.json; gaps.schema.json.
    package mutating func libraries(_ statuses: [LibraryStatus], showsUnknowable: Bool = false) {
        name("libraries")
        object { line in
            for status in statuses {
                line.name(status.library)
                line.object { line in
                    line.member("epoch", status.epoch)
                    line.member("sequence", status.cursor)
                    line.member("state", ByteString(status.phase.rawValue))
                    line.lost(status.lost)
                    if showsUnknowable, status.isUnknowable { line.member("unknowable", true) }
                }
            }
        }
    }

    /// Writes lost ranges as `"lost":[[a,b]]`, where `a` and `b` are the first and last sequence of a range.
    package mutating func lost(_ ranges: [LostRange]) {
        name("lost")
        array { line in
            for range in ranges {
                line.array { line in
                    line.value(range.first.rawValue)
                    line.value(range.last.rawValue)
                }
            }
        }
    }

    /// Writes `"lines"`, `"events"` with its bins (law L7), and the other totals up to `"messages"`.
    package mutating func counts(_ counts: EventCounts) {
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
        member("late", counts.late)
        member("blank", counts.blank)
        member("control", counts.control)
        member("messages", counts.messages)
    }
}
