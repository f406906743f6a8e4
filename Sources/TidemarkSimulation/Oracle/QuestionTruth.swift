/// The account of questions to a cache whose answers race: no answer undoes what was known when it was asked for, nor
/// what has happened since. Law: L12.
///
/// It knows the order of questions and the numbers that the server gives its writes, and nothing of marks, logs of
/// writes or attempts: a value never gives way to an older one unless an event says so; a list that is fresh was asked
/// for after everything that made it stale, and is that of the latest question.
///
/// It allows more than it must, never less: what it cannot be sure of, it forgets.
package struct QuestionTruth: Sendable {
    /// The answer to the latest question about a list.
    private struct Newest: Sendable {
        let question: Int
        /// The elements; nil when it is unknown whether the cache stored them.
        var ids: [String]?
    }

    /// The knowledge of one library.
    private struct Library: Sendable {
        /// The place in the log at the last check; nil before the first, and where none is known.
        var place: (log: Int, cursor: Int64, lost: [ClosedRange<Int64>])?
        /// The lowest number that an entity's value may have, by id. Bounded by the ids of a schedule.
        var floors: [String: Int64] = [:]
        /// The number of questions when lists last became stale; all of the library count alike.
        var staledAt = 0
        /// The number of questions when the library was last cleared.
        var clearedAt = 0
        /// The answers to the latest questions about lists.
        var newest: [ServerQuery: Newest] = [:]

        /// Forgets what the cache stored of them: an older answer does not become the newest by that.
        mutating func forgetLists() { for query in newest.keys { newest[query]?.ids = nil } }
    }

    private var libraries: [String: Library] = [:]
    /// The number of questions at the last check: those are older than everything that was noticed since.
    private var checkedCount = 0

    package init() {}

    // MARK: Events of the world

    /// A process ended: it is unknown what of its memory came back.
    package mutating func forgetAll() { libraries = [:] }

    /// Lists became stale after a number of questions.
    package mutating func staled(_ library: String, after questionCount: Int) {
        libraries[library, default: Library()].staledAt = questionCount
    }

    /// A library was cleared after a number of questions.
    package mutating func cleared(_ library: String, after questionCount: Int) {
        var known = libraries[library] ?? Library()
        (known.floors, known.newest, known.clearedAt) = ([:], [:], questionCount)
        libraries[library] = known
    }

    /// Something else than an answer to a question, or a mutation, wrote an entity: any value may be there.
    package mutating func rewrote(_ library: String, _ id: String) { libraries[library]?.floors[id] = nil }

    /// A list reached the cache.
    package mutating func listed(_ list: QuestionDesk.Listed) {
        var known = libraries[list.library] ?? Library()
        guard list.question > known.clearedAt, list.question > known.newest[list.query]?.question ?? 0 else { return }
        known.newest[list.query] = Newest(question: list.question, ids: list.ids)
        libraries[list.library] = known
    }

    /// Forgets which lists the cache stored: a disk that fails leaves that unknown.
    package mutating func forgetLists() {
        for name in libraries.keys { libraries[name]?.forgetLists() }
    }

    // MARK: Comparing with the cache

    /// Takes the place of a library: events between the last one and this one say what they wrote.
    package mutating func follow(_ name: String, _ truth: LibraryTruth, _ log: ServerLog) {
        var known = libraries[name] ?? Library()
        defer { libraries[name] = known }
        let before = known.place
        known.place = truth.cursor.map { (truth.log, $0, truth.lost) }
        guard let before, let cursor = truth.cursor, before.log == truth.log, !truth.hasLeft, before.cursor <= cursor
        else {
            // The end of a log makes lists stale; whether one that stays the same has ended is not always known.
            if let before, truth.log != before.log { known.staledAt = max(known.staledAt, checkedCount) }
            known.floors = [:]
            known.forgetLists()
            return
        }
        let isLost = truth.lost.contains { range in
            !before.lost.contains { $0.contains(range.lowerBound) && $0.contains(range.upperBound) }
        }
        if isLost { known.staledAt = max(known.staledAt, checkedCount) }
        // Numbers that were found again wrote entities that are not told apart here.
        if before.lost != truth.lost { known.floors = [:] }
        // An event with several entities may come late, and write some of them, while its number stays lost.
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

    /// Ends the comparison after one input. Questions up to `questionCount` are older than all that is noticed later.
    package mutating func endCheck(questionCount: Int) { checkedCount = questionCount }

    /// Compares an entity, without layers, with what was there before.
    ///
    /// - Parameter fields: nil when the entity is not there.
    /// - Returns: What is wrong; nil when nothing.
    package mutating func problem(_ library: String, _ id: String, shows fields: ItemFields?) -> String? {
        guard let stamp = fields?.stamp else { return nil }
        let floor = libraries[library]?.floors[id]
        libraries[library]?.floors[id] = stamp
        guard let floor, stamp < floor else { return nil }
        return "\(library) \(id) shows \(stamp), and \(floor) was known, which is newer (L12)"
    }

    /// Compares a list with the questions that were asked.
    ///
    /// - Returns: What is wrong; nil when nothing.
    package func problem(_ library: String, _ query: ServerQuery, lists ids: [String], isStale: Bool) -> String? {
        guard query != .local, let known = libraries[library] else { return nil }
        guard let newest = known.newest[query], let answered = newest.ids else { return nil }
        if !isStale, newest.question <= known.staledAt {
            return "\(library) \(query) is fresh, and question \(newest.question) was asked before it became stale, "
                + "after question \(known.staledAt) (L12)"
        }
        guard query.membership == nil else { return nil }
        // What was deleted or removed since is missing; nothing else is.
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

    /// Returns the number of the question after which a reader that comes now must have the server asked.
    package func mustAskAfter(_ library: String) -> Int {
        libraries[library].map { max($0.staledAt, $0.clearedAt) } ?? 0
    }
}
