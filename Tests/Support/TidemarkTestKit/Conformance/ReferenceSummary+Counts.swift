import TidemarkModel
import TidemarkReferenceModel

extension ReferenceSummary {
    /// Creates a summary from a cache's counts and statuses, in the model's format.
    package init(counts: EventCounts, entityCount: Int64, libraries: [LibraryStatus]) {
        var own = ReferenceCounts()
        own.lines = Int(counts.lines)
        own.blank = Int(counts.blank)
        own.control = Int(counts.control)
        own.messages = Int(counts.messages)
        own.applied = Int(counts.applied)
        own.duplicate = Int(counts.duplicate)
        own.ignored = Int(counts.ignored)
        own.quarantined = Int(counts.quarantined)
        own.held = Int(counts.held)
        own.membersQuarantined = Int(counts.membersQuarantined)
        own.reconciled = Int(counts.reconciled)
        own.late = Int(counts.late)
        self.init(
            counts: own, entities: Int(entityCount),
            libraries: Dictionary(
                libraries.map { status in
                    let lost = status.lost.map { $0.first.rawValue...$0.last.rawValue }
                    return (
                        status.library.bytes,
                        Library(
                            epoch: status.epoch.bytes, sequence: status.cursor?.rawValue, state: status.phase.rawValue,
                            lost: lost)
                    )
                }, uniquingKeysWith: { first, _ in first }))
    }
}
