/// Checks answers that race: an answer must not undo what was known when its question was asked, nor what happened
/// since. Law: L12.
///
/// It knows only the order of questions and the numbers that the server gives its writes. A value may be replaced by an
/// older one only if an event says so. A fresh list must answer the latest question, asked after everything that made
/// the list stale.
///
/// It never reports a false violation, because it drops everything uncertain.
package struct QuestionTruth: Sendable {
    /// The answer to the latest question about a list.
    private struct Newest: Sendable {
        let question: Int
        /// The elements; nil if it is unknown whether the cache stored them.
        var ids: [String]?
    }

    /// What is known about one library.
    private struct Library: Sendable {
        /// The log position at the last check; nil before the first check, and if unknown.
        var place: (log: Int, cursor: Int64, lost: [ClosedRange<Int64>])?
        /// The lowest write number that an entity may show, by id. Bounded by the ids of a schedule.
        var floors: [String: Int64] = [:]
        /// The number of questions when lists last became stale; one value for all lists of the library.
        var staledAt = 0
        /// The number of questions when the library was last cleared.
        var clearedAt = 0
        /// The answers to the latest question about each list.
        var newest: [ServerQuery: Newest] = [:]

        /// Forgets which lists the cache stored, but not which questions were the latest.
        mutating func forgetLists() { for query in newest.keys { newest[query]?.ids = nil } }
    }

    private var libraries: [String: Library] = [:]
    /// The number of questions at the last check; these are older than everything noticed since.
    private var checkedCount = 0

    /// Creates an account without knowledge.
    package init() {}

    // MARK: Events of the world

    /// Records that a process ended: it is unknown what was recovered.
    package mutating func forgetAll() { libraries = [:] }

    /// Records that lists became stale after a number of questions.
    package mutating func staled(_ library: String, after questionCount: Int) {
        libraries[library, default: Library()].staledAt = questionCount
    }

    /// Records that a library was cleared after a number of questions.
    package mutating func cleared(_ library: String, after questionCount: Int) {
        var known = libraries[library] ?? Library()
        (known.floors, known.newest, known.clearedAt) = ([:], [:], questionCount)
        libraries[library] = known
    }

    /// Records a write by anything but the log or a question, such as a mutation: any value may be there now.
    package mutating func rewrote(_ library: String, _ id: String) { libraries[library]?.floors[id] = nil }

    /// Records a list that reached the cache.
    package mutating func listed(_ list: QuestionDesk.Listed) {
        var known = libraries[list.library] ?? Library()
        guard list.question > known.clearedAt, list.question > known.newest[list.query]?.question ?? 0 else { return }
        known.newest[list.query] = Newest(question: list.question, ids: list.ids)
        libraries[list.library] = known
    }

    /// Forgets which lists the cache stored, because the disk may have failed.
    package mutating func forgetLists() {
        for name in libraries.keys { libraries[name]?.forgetLists() }
    }

    // MARK: Comparing with the cache

    /// Updates a library to its current position, with the writes of the events since the last one.
    package mutating func follow(_ name: String, _ truth: LibraryTruth, _ log: ServerLog) {
        var known = libraries[name] ?? Library()
        defer { libraries[name] = known }
        let before = known.place
        known.place = truth.cursor.map { (truth.log, $0, truth.lost) }
        guard let before, let cursor = truth.cursor, before.log == truth.log, !truth.hasLeft, before.cursor <= cursor
        else {
            // The end of a log makes lists stale. If the log's index stays the same, it is not always known whether it
            // ended.
            if let before, truth.log != before.log { known.staledAt = max(known.staledAt, checkedCount) }
            known.floors = [:]
            known.forgetLists()
            return
        }
        let isLost = truth.lost.contains { range in
            !before.lost.contains { $0.contains(range.lowerBound) && $0.contains(range.upperBound) }
        }
        if isLost { known.staledAt = max(known.staledAt, checkedCount) }
        // Which entities recovered sequences wrote is not tracked here.
        if before.lost != truth.lost { known.floors = [:] }
        // An event with several entities may arrive late and write some of them, while its sequence stays lost.
        for range in truth.lost {
            for event in log.events(after: range.lowerBound - 1, through: range.upperBound)
            where event.changes.count > 1 {
                for (id, _) in event.changes { known.floors[id] = nil }
            }
        }
        for event in log.events(after: before.cursor, through: cursor) {
            let isSure = !event.isPoison && !truth.isLost(event.sequence) && !truth.isDenied(event.sequence)
            for (id, change) in event.changes {
                switch change {
                case .replace(let fields): known.floors[id] = isSure ? fields.stamp : nil
                case .merge: known.floors[id] = nil
                case .delete: known.floors[id] = isSure ? event.stamp : nil
                }
            }
        }
    }

    /// Ends the comparison after one input: the first `questionCount` questions are older than anything noticed later.
    package mutating func endCheck(questionCount: Int) { checkedCount = questionCount }

    /// Compares an entity without layers with what it showed before.
    ///
    /// - Parameter fields: The fields; nil if the entity does not exist.
    /// - Returns: The violation in words; nil if there is none.
    package mutating func problem(_ library: String, _ id: String, shows fields: ItemFields?) -> String? {
        guard let stamp = fields?.stamp else { return nil }
        let floor = libraries[library]?.floors[id]
        libraries[library]?.floors[id] = stamp
        guard let floor, stamp < floor else { return nil }
        return "\(library) \(id) shows \(stamp), and \(floor) was known, which is newer (L12)"
    }

    /// Compares a list with the latest question about it.
    ///
    /// - Returns: The violation in words; nil if there is none.
    package func problem(_ library: String, _ query: ServerQuery, lists ids: [String], isStale: Bool) -> String? {
        guard query != .local, let known = libraries[library] else { return nil }
        guard let newest = known.newest[query], let answered = newest.ids else { return nil }
        if !isStale, newest.question <= known.staledAt {
            return "\(library) \(query) is fresh, and question \(newest.question) was asked before it became stale, "
                + "after question \(known.staledAt) (L12)"
        }
        guard query.membership == nil else { return nil }
        // Elements that were deleted or removed since may be missing; nothing else may differ.
        var rest = answered[...]
        for id in ids {
            guard let place = rest.firstIndex(of: id) else {
                return "\(library) \(query) lists \(ids), and question \(newest.question) was answered with "
                    + "\(answered) (L12)"
            }
            rest = rest[(place + 1)...]
        }
        return nil
    }

    /// Returns the number of questions so far that are too old for a reader that asks now.
    package func mustAskAfter(_ library: String) -> Int {
        libraries[library].map { max($0.staledAt, $0.clearedAt) } ?? 0
    }
}
