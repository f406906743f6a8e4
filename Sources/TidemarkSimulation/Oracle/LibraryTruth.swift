import TidemarkModel

/// The required state of one library of the cache, derived from the server's logs and the cursor that the cache
/// reports.
///
/// It has no notion of batches, held events or attempts: an entity is the result of the events up to the cursor, except
/// those that the cache reports as lost. Where the outcome is open (a false answer, a write in progress) there are
/// several candidates, and the state that the cache then shows decides between them. Laws: L1, L4.
package struct LibraryTruth: Sendable {
    /// The maximum number of candidates of one entity at a check; past it the entity is blurred.
    static let candidateCountMax = 256
    /// The maximum number of candidates between two checks.
    static let openCountMax = 2_048

    /// An answer with an entity that has not arrived yet.
    struct Answer: Sendable {
        let fields: ItemFields
        let log: Int
        let sequence: Int64
        let isWhole: Bool
        let hasPlace: Bool
        let keepsPlace: Bool
        let isMutation: Bool
        let question: Int
    }

    /// The index of the server's log that the cache follows.
    package private(set) var log = 0
    /// The cursor of the cache; nil before anything of the log was received.
    package private(set) var cursor: Int64?
    /// The candidates by id. An id that is missing never existed.
    package internal(set) var entities: [String: Set<Candidate>] = [:]
    /// True if the library follows a log or one was announced. Earlier answers count for the first log received.
    package private(set) var hasBegun = false
    /// The logs of answers that were stored before the library followed a log, by id.
    package internal(set) var origins: [String: Set<Int>] = [:]
    /// The answers since the last check, by id; each may have arrived between any two events.
    var onTheWay: [String: [Answer]] = [:]
    /// The log positions from which the cache may have started over since the last check.
    package private(set) var beginnings: [(log: Int, base: Int64)] = []
    /// True if a new log was announced since the last check.
    private var isReset = false
    /// How many logs were left or announced so far.
    package private(set) var leftLogCount = 0
    /// Sequences that an upstream claimed not to exist; the cache may have the events or not.
    private var denied: Set<Int64> = []
    /// True if the cache may lack events: denied ones, those before it followed the log, those of removed entities.
    package internal(set) var hasGaps = false
    /// Entities with answers from another log: any state is accepted until the log ends.
    package internal(set) var blurred: Set<String> = []
    /// Entities with more candidates than ``openCountMax`` between two checks: any state is accepted until they are
    /// cleared.
    var overflowed: Set<String> = []
    /// The sequences that were lost at the last check.
    package private(set) var lost: [ClosedRange<Int64>] = []
    /// The false sequences that the cache received in this log.
    package private(set) var lies = FalseNumbers()
    /// Entities that may have been removed since the last check, between any two events.
    var removals: Set<String> = []
    /// The number of questions when the library was last cleared; -1 for never.
    var clearedAt = -1
    /// The mutations whose events the cursor passed at the last check.
    package private(set) var settledMutations: Set<String> = []
    /// True if a log ended between the last two checks.
    package private(set) var hasLeft = false
    /// The mutations whose events the cursor may have passed.
    package private(set) var doubtfulMutations: Set<String> = []

    /// Creates the state of a library of which nothing was received.
    package init() {}

    /// Records a received position in a log that the cache does not follow, or in any log while it follows none.
    ///
    /// - Parameter mayGoBack: True if a cache that is already past the position would conclude that the log went back.
    package mutating func heard(log: Int, base: Int64, mayGoBack: Bool = false) {
        guard log != self.log || cursor == nil || isReset || !beginnings.isEmpty || mayGoBack else { return }
        if beginnings.last.map({ $0 != (log, base) }) ?? true { beginnings.append((log, base)) }
    }

    /// Ends a check: answers on their way have arrived, or are recorded again before the next check.
    package mutating func endLook() { (onTheWay, removals) = ([:], []) }

    /// Records the announcement that the log begins anew.
    package mutating func heardReset() { isReset = true }

    /// Records that an upstream claimed an event does not exist.
    package mutating func deny(_ sequence: Int64) {
        denied.insert(sequence)
        hasGaps = true
    }

    /// Returns true if an upstream claimed that an event does not exist.
    package func isDenied(_ sequence: Int64) -> Bool { denied.contains(sequence) }

    /// Records a received sequence that the log does not contain.
    package mutating func heard(lie number: Int64, changes: [(id: String, change: ServerChange)]) {
        lies.heard(number, changes)
        hasGaps = true
    }

    /// Records that the cursor was moved back: writes above it count as written at it.
    package mutating func takenBack(to sequence: Int64) {
        cursor = sequence
        lost = lost.compactMap { $0.lowerBound > sequence ? nil : $0.lowerBound...min($0.upperBound, sequence) }
        for (id, known) in entities {
            entities[id] = Set(
                known.map { candidate in
                    var candidate = candidate
                    candidate.written = min(candidate.written, sequence)
                    candidate.named = candidate.named.mapValues { min($0, sequence) }
                    return candidate
                })
        }
    }

    // MARK: Following the cursor

    /// Updates the state to the position that the cache reports.
    ///
    /// - Parameter isSettled: True if everything received has taken effect.
    /// - Returns: The violation in words; nil if there is none.
    package mutating func follow(
        _ status: LibraryStatus?, _ library: ServerLibrary, isSettled: Bool
    ) -> String? {
        (settledMutations, doubtfulMutations, hasLeft) = ([], [], false)
        defer {
            if isSettled {
                beginnings = []
                isReset = false
            }
        }
        guard let status, let rawCursor = status.cursor else {
            // The log was announced, and nothing of it has arrived yet.
            let named = status.flatMap { library.logIndex(epoch: $0.epoch.description) }
            let isForgotten = hasBegun && named == nil && library.logs[log].epoch != nil
            guard cursor != nil || named ?? log != log || isForgotten else {
                if isReset { leftLogCount += 1 }
                return nil
            }
            // A cache that does not know its log has not received the announcement.
            guard isReset, !isForgotten else { return "its position is gone, and no new log began (L4)" }
            leave(library, for: named ?? log, through: beginnings[...])
            return nil
        }
        let next = rawCursor.rawValue
        let lost = status.lost.map { $0.first.rawValue...$0.last.rawValue }
        let epoch = status.epoch.description
        let isSameEpoch = (library.logs[log].epoch ?? "") == epoch
        let begun = beginnings.indices.filter { place in
            (library.logs[beginnings[place].log].epoch ?? "") == epoch && beginnings[place].base <= next
        }
        if begun.isEmpty {
            guard isSameEpoch, let cursor else {
                return "it came to \(next) of \"\(epoch)\", which was never delivered (L4)"
            }
            guard next >= cursor else { return "the cursor went back from \(cursor) to \(next) (L4)" }
            return advance(through: next, lost, library)
        }
        var branches: [LibraryTruth] = []
        if isSameEpoch, let cursor, next >= cursor {
            var stayed = self
            if stayed.advance(through: next, lost, library) == nil { branches.append(stayed) }
        }
        var doubtful: Set<String> = []
        var problem: String?
        for place in begun {
            let beginning = beginnings[place]
            var branch = self
            branch.leave(library, for: beginning.log, through: beginnings[..<place])
            doubtful.formUnion(branch.doubtfulMutations)
            branch.cursor = beginning.base
            branch.hasGaps = branch.hasGaps || beginning.base > library.logs[beginning.log].base
            problem = branch.advance(through: next, lost, library)
            if problem == nil { branches.append(branch) }
        }
        // The cache follows the log that was received last.
        guard var whole = branches.last else { return problem }
        for branch in branches.dropLast() { whole.join(branch) }
        whole.doubtfulMutations = branches.reduce(into: doubtful) { $0.formUnion($1.settledMutations) }
        whole.settledMutations = []
        whole.hasLeft = true
        whole.beginnings = beginnings
        self = whole
        return nil
    }

    /// Leaves the current log. How much of it, and of the logs in between, took effect since the last check is unknown.
    ///
    /// - Parameter heard: The positions that were received before those of the next log.
    private mutating func leave(
        _ library: ServerLibrary, for next: Int, through heard: ArraySlice<(log: Int, base: Int64)>
    ) {
        if let cursor { mayHave(library.logs[log].events(after: cursor, through: .max)) }
        for range in lost {
            mayHave(library.logs[log].events(after: range.lowerBound - 1, through: range.upperBound))
        }
        mayHaveLies()
        for beginning in heard {
            mayHave(library.logs[beginning.log].events(after: beginning.base, through: .max).prefix(1))
        }
        // If the next log is the announced one, or the very first, its positions remain valid.
        let isFirst = cursor == nil && next == log && heard.allSatisfy { $0.log == next }
        leftLogCount += 1
        let isOver = hasBegun && !isFirst || isReset || heard.contains { $0.log != next }
        // A log that was restored keeps the false sequences received in it.
        if next != log { lies = FalseNumbers() }
        log = next
        if isOver {
            for (id, known) in entities {
                let forgotten = Set(known.map(\.forgettingPlaces))
                entities[id] = isFirst ? known.union(forgotten) : forgotten
            }
            origins = [:]
        }
        hasBegun = true
        cursor = nil
        hasLeft = true
        denied = []
        blurred = overflowed
        lost = []
    }

    /// Records events that may have been applied.
    private mutating func mayHave(_ events: ArraySlice<ServerEvent>) {
        for event in events where !event.isPoison {
            for (id, change) in event.changes {
                let known = candidates(id)
                // Each event may have been applied in a log of its own, where positions of other logs mean nothing.
                let forgotten = known.union(known.map(\.forgettingPlaces))
                believe(id, known.union(forgotten.flatMap { $0.all(after: change, sequence: event.sequence) }))
            }
            if let mutation = event.mutation { doubtfulMutations.insert(mutation) }
        }
    }

    private mutating func join(_ other: LibraryTruth) {
        hasGaps = hasGaps || other.hasGaps
        lies.join(other.lies)
        origins.merge(other.origins) { $0.union($1) }
        for (id, known) in other.entities { entities[id] = candidates(id).union(known) }
        for id in entities.keys where other.entities[id] == nil {
            entities[id] = candidates(id).union([Candidate(fields: nil)])
        }
    }

    private mutating func advance(
        through next: Int64, _ lost: [ClosedRange<Int64>], _ library: ServerLibrary
    ) -> String? {
        hasBegun = true
        let log = library.logs[log]
        guard next <= log.last || lies.contains(next) else {
            return "it came to \(next), and no valid line goes past \(log.last) (L4)"
        }
        if let problem = recover(lost, log) { return problem }
        for event in log.events(after: cursor ?? 0, through: next) {
            if lost.contains(where: { $0.contains(event.sequence) }) {
                // The event may have arrived since the last check, after its sequence was lost.
                mayHaveInPart(event)
            } else if let problem = apply(event) {
                return problem
            }
        }
        for (number, id, change) in lies.changes(through: next) {
            let known = candidates(id)
            believe(id, known.union(known.flatMap { $0.all(after: change, sequence: number) }))
        }
        cursor = next
        self.lost = lost
        return nil
    }

    private mutating func apply(_ event: ServerEvent) -> String? {
        let isDenied = denied.contains(event.sequence)
        if event.isPoison {
            if isDenied { return nil }
            return "it passed \(event.sequence), which cannot be used, and does not report it as lost (L4)"
        }
        for (id, change) in event.changes {
            let known = candidates(id)
            let after = Set(known.flatMap { $0.all(after: change, sequence: event.sequence) })
            believe(id, isDenied ? known.union(after) : after)
            for answer in onTheWay[id] ?? [] where answer.log == log {
                let next = candidates(id)
                believe(
                    id,
                    next.union(
                        next.flatMap {
                            $0.all(
                                after: answer.fields, sequence: answer.sequence, isWhole: answer.isWhole,
                                hasPlace: answer.hasPlace, keepsPlace: answer.keepsPlace, isMutation: answer.isMutation,
                                question: answer.question)
                        }))
            }
            if removals.contains(id) { entities[id] = candidates(id).union([Candidate(fields: nil)]) }
        }
        guard let mutation = event.mutation else { return nil }
        if isDenied { doubtfulMutations.insert(mutation) } else { settledMutations.insert(mutation) }
        return nil
    }

    /// Accounts for sequences that were lost at the last check.
    ///
    /// If a sequence is no longer lost, its event has arrived: the entity is as if it had arrived in order, or a later
    /// write has precedence. If it is still lost, its event may have arrived and taken effect only in part.
    private mutating func recover(_ next: [ClosedRange<Int64>], _ log: ServerLog) -> String? {
        for range in lost {
            for event in log.events(after: range.lowerBound - 1, through: range.upperBound) where !event.isPoison {
                if !next.contains(where: { $0.contains(event.sequence) }) {
                    if let problem = apply(event) { return problem }
                } else {
                    mayHaveInPart(event)
                }
            }
        }
        return nil
    }

    /// Records that some members of an event that stays lost may have been applied when it arrived late.
    private mutating func mayHaveInPart(_ event: ServerEvent) {
        guard !event.isPoison else { return }
        for (id, change) in event.changes where event.changes.count > 1 {
            let known = candidates(id)
            believe(id, known.union(known.flatMap { $0.all(after: change, sequence: event.sequence) }))
        }
        if let mutation = event.mutation { doubtfulMutations.insert(mutation) }
    }
}
