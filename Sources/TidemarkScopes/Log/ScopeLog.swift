import TidemarkModel
import TidemarkViews

/// The log of a scope, as positions: which entities are in it, when each changed last, and which left.
///
/// It keeps no lines. What a client is sent is computed from its position: every entity that changed since once in its
/// present form, every one that left since once. So a client that was away for a day, one that reads slowly and one
/// that follows each unit are one case, and all of them cost what changed.
///
/// - Source: Protocol/scopes.md, the log.
package struct ScopeLog: Sendable {
    /// A random name. A log that was begun anew has another one, and no epoch of the former.
    package let identity: [UInt8]
    let limits: ScopeLimits
    /// The position behind the last unit.
    package private(set) var head: ScopePosition
    /// The entities in the scope, by their numbers in the views.
    private(set) var members: MemberTable
    private var changes = ChangeOrder()
    private(set) var history: PresenceHistory
    private(set) var notes = EditNotes()
    var snapshots = ScopeSnapshots()
    /// Positions that were perhaps used before a crash and are not known any more, at most ``unknownCountMax`` ranges.
    private(set) var unknown: [ClosedRange<ScopePosition>] = []
    /// The most ranges of unknown positions. With a further one, nobody is served from before the oldest one any more.
    private static let unknownCountMax = 64
    /// How the log ends for everybody who has read all of it; nil while it goes on.
    package private(set) var ending: ScopeBye?
    /// The lines of the last unit, for the many readers who are just before it.
    var recent: RecentUnit?

    /// Begins a log.
    ///
    /// - Parameters:
    ///   - identity: Random bytes, at least 8.
    ///   - numbers: The entities that are in the scope, each once.
    init(identity: [UInt8], numbers: some Sequence<UInt32>, limits: ScopeLimits) {
        self.identity = identity
        self.limits = limits
        head = .start
        members = MemberTable(
            numbers: numbers.sorted(), MemberTable.Member(entered: .start, changed: .start))
        history = PresenceHistory(from: .start, limits)
    }

    // MARK: Units

    /// Appends a unit.
    ///
    /// - Parameter now: The time in seconds.
    /// - Complexity: O(unit), and for each entity that changed or left O(deliveries of different positions).
    mutating func append(_ unit: ScopeUnit, now: Int64) {
        let isAlone = unit.showsNothing
        if !isAlone {
            head = head.next
            for former in unit.changed { change(former) }
            for (former, reason) in unit.left { leave(former, reason, now) }
            for row in unit.entered {
                members[row.number] = MemberTable.Member(entered: head, changed: head)
                changes.append(row.number, at: head)
                history.enter(row.key)
            }
            history.forget(now: now, memberCount: members.count)
            changes.tidy(memberCount: members.count) { [members] in members[$0]?.changed == $1 }
        }
        if let edit = unit.note, edit.mutationID.bytes.count <= ScopeEdit.idByteCountMax {
            notes.append(EditNotes.Note(edit: edit, position: head, isAlone: isAlone, second: now))
        }
        notes.forget(now: now, limits)
    }

    private mutating func change(_ former: ScopeUnit.Former) {
        guard let member = members[former.row.number] else { return }
        snapshots.save(former.row.key, former.sent, entered: member.entered)
        members[former.row.number]?.changed = head
        changes.append(former.row.number, at: head)
    }

    private mutating func leave(_ former: ScopeUnit.Former, _ reason: DepartureReason, _ now: Int64) {
        guard let member = members.removeValue(forKey: former.row.number) else { return }
        snapshots.save(former.row.key, former.sent, entered: member.entered)
        history.leave(
            former.row.key,
            PresenceHistory.Stay(entered: member.entered, left: head, reason: reason, second: now))
    }

    /// Ends the log: everybody who has read all of it is told so. nil continues it.
    mutating func end(_ bye: ScopeBye?) { ending = bye }

    // MARK: Since a position

    /// Returns true if a client at a position can be told what changed since.
    package func canServe(_ position: ScopePosition) -> Bool {
        position >= history.horizon && position <= head && !unknown.contains { $0.contains(position) }
    }

    /// What changed after a position.
    struct Difference: Sendable {
        var changed: [UInt32]
        var left: [(key: ViewKey, reason: DepartureReason)]
    }

    /// Returns the entities that changed or entered, and those that left since a position that can be served.
    ///
    /// - Complexity: O(what changed since).
    func difference(since position: ScopePosition) -> Difference {
        Difference(
            changed: changes.numbers(since: position) { members[$0]?.changed == $1 },
            left: history.departures(since: position))
    }

    // MARK: Storing

    /// Restores a log.
    init(_ image: ScopeLogImage, numbers: [ViewKey: UInt32], limits: ScopeLimits) {
        identity = image.identity
        self.limits = limits
        // A position that was perhaps used is never used again, and nobody can be served from it.
        head = image.head
        unknown = image.unknown.filter { $0.upperBound > image.horizon }
        if let reserved = image.reserved, reserved > image.head {
            unknown.append(image.head.next...reserved)
            head = reserved.next
        }
        members = MemberTable()
        history = PresenceHistory(from: image.horizon, limits)
        if unknown.count > ScopeLog.unknownCountMax {
            history.raiseHorizon(to: unknown.removeFirst().upperBound)
        }
        for (key, stay) in image.stays { history.leave(key, stay) }
        for member in image.members.sorted(by: { $0.changed < $1.changed }) {
            // One without a number left while nobody had the scope: see `reconcile`.
            guard let number = numbers[member.key] else { continue }
            members[number] = MemberTable.Member(entered: member.entered, changed: member.changed)
            changes.append(number, at: member.changed)
            history.enter(member.key)
        }
    }

    /// Appends what happened while nobody had the scope, as one unit.
    ///
    /// - Parameters:
    ///   - gone: Stored entities that are not in the scope any more, with the position at which they had entered.
    ///   - unit: The entities that entered and changed.
    mutating func reconcile(gone: [(key: ViewKey, entered: ScopePosition)], _ unit: ScopeUnit, now: Int64) {
        guard !gone.isEmpty || !unit.showsNothing else { return }
        if unit.showsNothing { head = head.next } else { append(unit, now: now) }
        for (key, entered) in gone {
            history.leave(key, PresenceHistory.Stay(entered: entered, left: head, reason: .scope, second: now))
        }
    }
}
