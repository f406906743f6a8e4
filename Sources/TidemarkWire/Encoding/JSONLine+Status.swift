import TidemarkModel

extension JSONLine {
    /// Writes `"libraries":{"<id>":{"epoch":"","sequence":…,"state":"live","lost":[[a,b]]}}`.
    ///
    /// - Parameter showsUnknowable: Whether a library from whose log events can disappear without a trace has
    ///   `"unknowable":true` too.
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

    /// Writes `"lost":[[a,b]]`.
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

    /// Writes `"lines"` and `"events"` to `"messages"`: the bins of law L7.
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
