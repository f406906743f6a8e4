import TidemarkModel

/// What a library of the cache must be, told from the server's logs and from the cursor that the cache claims.
///
/// It knows nothing of batches, held events or attempts: an entity is what the events up to the cursor make of it, but for those
/// that the cache calls lost. Where the world leaves something open (a source that lied, a write on its way) there are several
/// candidates; what the cache shows then says which it was. Laws: L1, L4.
package struct LibraryTruth: Sendable {
    /// Candidates of an entity beyond which anything goes.
    private static let candidateCountMax = 256

    /// Which of the server's logs the cache follows.
    package private(set) var log = 0
    /// nil: nothing was heard of the log.
    package private(set) var cursor: Int64?
    /// By id; an id that is missing was never there.
    package private(set) var entities: [String: Set<Candidate>] = [:]
    /// It is in some log, or was told that one begins. What is answered before stands for places in the first that is heard.
    private var hasBegun = false
    /// Logs that answers to a library without one came from, by entity.
    private var origins: [String: Set<Int>] = [:]
    /// Answers since the last look, by entity: they may have come between any two events.
    private var onTheWay: [String: [(fields: ItemFields, log: Int, sequence: Int64)]] = [:]
    /// Places in logs from which the cache may have begun anew since it was looked at last.
    private var beginnings: [(log: Int, base: Int64)] = []
    /// A log was announced since the cache was looked at last.
    private var isReset = false
    /// Logs that were left or announced so far.
    package private(set) var leftLogCount = 0
    /// Events that the source denies: the cache may have them or not.
    private var denied: Set<Int64> = []
    /// Events passed the cache by: denied, before it heard of the log, or of what it was told to forget.
    package private(set) var hasGaps = false
    /// Entities that an answer gave whose place is one of another log: what the cache shows is believed until the log ends.
    private var blurred: Set<String> = []
    /// Numbers that were lost when the cache was looked at last.
    package private(set) var lost: [ClosedRange<Int64>] = []
    /// Numbers of no event that the cache was told of in this log, with what the lines that named them said.
    private var lies: [(number: Int64, changes: [(id: String, change: ServerChange)])] = []
    /// Mutations whose events the last look passed.
    package private(set) var settledMutations: Set<String> = []
    /// A log ended since the look before.
    package private(set) var hasLeft = false
    /// Mutations whose events it may have passed.
    package private(set) var doubtfulMutations: Set<String> = []

    package init() {}

    /// Places in logs that were heard of and may take effect, as text.
    package var heardPlaces: String { beginnings.map { "\($0.log)@\($0.base)" }.joined(separator: " ") }

    package func candidates(_ id: String) -> Set<Candidate> { entities[id] ?? [Candidate(fields: nil)] }

    /// The cache heard of a place in a log that is not the one it follows, or in any while it follows none.
    ///
    /// - Parameter mayGoBack: When the cache is past the place by then, it takes the log for one that went back.
    package mutating func heard(log: Int, base: Int64, mayGoBack: Bool = false) {
        guard log != self.log || cursor == nil || isReset || !beginnings.isEmpty || mayGoBack else { return }
        if beginnings.last.map({ $0 != (log, base) }) ?? true { beginnings.append((log, base)) }
    }

    /// The cache was looked at: what was on the way has come, or is said to be on the way again.
    package mutating func endLook() { onTheWay = [:] }

    /// The cache was told that a log begins anew.
    package mutating func heardReset() { isReset = true }

    /// The source claims that an event does not exist.
    package mutating func deny(_ sequence: Int64) {
        denied.insert(sequence)
        hasGaps = true
    }

    /// Whether the source claimed that an event does not exist.
    package func isDenied(_ sequence: Int64) -> Bool { denied.contains(sequence) }

    /// Whether numbers lied since the log began.
    package var hasLies: Bool { !lies.isEmpty }

    /// The cache was told of a number that the log does not have.
    package mutating func heard(lie number: Int64, changes: [(id: String, change: ServerChange)]) {
        lies.append((number, changes))
        hasGaps = true
    }

    /// The cache took its cursor back: what it wrote above counts as written there.
    package mutating func takenBack(to sequence: Int64) {
        cursor = sequence
        lost = lost.compactMap { $0.lowerBound > sequence ? nil : $0.lowerBound...min($0.upperBound, sequence) }
        for (id, known) in entities {
            entities[id] = Set(
                known.map { candidate in
                    var candidate = candidate
                    candidate.written = min(candidate.written, sequence)
                    return candidate
                })
        }
    }

    // MARK: Following the cursor

    /// Takes over what the cache says of its place.
    ///
    /// - Parameter isSettled: All that was heard has taken effect.
    /// - Returns: What is wrong with that; nil when nothing.
    package mutating func follow(
        _ status: LibraryStatus?, _ library: ServerLibrary, isSettled: Bool
    ) -> String? {
        settledMutations = []
        doubtfulMutations = []
        hasLeft = false
        defer {
            if isSettled {
                beginnings = []
                isReset = false
            }
        }
        guard let status, let rawCursor = status.cursor else {
            // A log that was announced, and of which nothing came yet.
            let named = status.flatMap { library.logIndex(epoch: $0.epoch.description) }
            guard cursor != nil || named ?? log != log else {
                if isReset { leftLogCount += 1 }
                return nil
            }
            guard isReset else { return "its place is gone, and nothing began anew (L4)" }
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
                return "it came to \(next) of \"\(epoch)\", of which nothing was heard (L4)"
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
        // What was heard last is what is followed.
        guard var whole = branches.last else { return problem }
        for branch in branches.dropLast() { whole.join(branch) }
        whole.doubtfulMutations = branches.reduce(into: doubtful) { $0.formUnion($1.settledMutations) }
        whole.settledMutations = []
        whole.hasLeft = true
        whole.beginnings = beginnings
        self = whole
        return nil
    }

    /// The log that was followed is over: what came of it after the last look, and of those between, is not known.
    ///
    /// - Parameter heard: Places that were heard of before the log that is followed now.
    private mutating func leave(
        _ library: ServerLibrary, for next: Int, through heard: ArraySlice<(log: Int, base: Int64)>
    ) {
        if let cursor { mayHave(library.logs[log].events(after: cursor, through: .max)) }
        for range in lost {
            mayHave(library.logs[log].events(after: range.lowerBound - 1, through: range.upperBound))
        }
        for beginning in heard {
            mayHave(library.logs[beginning.log].events(after: beginning.base, through: .max).prefix(1))
        }
        // The log that was announced, or the first of all: its places stay.
        let isFirst = cursor == nil && next == log && heard.allSatisfy { $0.log == next }
        leftLogCount += 1
        let isOver = hasBegun && !isFirst || isReset || heard.contains { $0.log != next }
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
        blurred = []
        lost = []
        lies = []
    }

    /// Some of these events may have been applied.
    private mutating func mayHave(_ events: ArraySlice<ServerEvent>) {
        for event in events where !event.isPoison {
            for (id, change) in event.changes {
                let known = candidates(id)
                // Each may have been applied in a log of its own, where places of others mean nothing.
                let forgotten = known.union(known.map(\.forgettingPlaces))
                entities[id] = known.union(forgotten.map { $0.after(change, sequence: event.sequence) })
            }
            if let mutation = event.mutation { doubtfulMutations.insert(mutation) }
        }
    }

    private mutating func join(_ other: LibraryTruth) {
        hasGaps = hasGaps || other.hasGaps
        lies += other.lies
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
        guard next <= log.last || lies.contains(where: { $0.number == next }) else {
            return "it came to \(next), and nothing that can be believed goes past \(log.last) (L4)"
        }
        if let problem = recover(lost, log) { return problem }
        for event in log.events(after: cursor ?? 0, through: next) {
            if lost.contains(where: { $0.contains(event.sequence) }) { continue }
            if let problem = apply(event) { return problem }
        }
        for (number, changes) in lies {
            for (id, change) in changes {
                let known = candidates(id)
                entities[id] = known.union(known.map { $0.after(change, sequence: number) })
            }
        }
        cursor = next
        self.lost = lost
        return nil
    }

    private mutating func apply(_ event: ServerEvent) -> String? {
        let isDenied = denied.contains(event.sequence)
        if event.isPoison {
            if isDenied { return nil }
            return "it passed \(event.sequence), which cannot be used, and does not call it lost (L4)"
        }
        for (id, change) in event.changes {
            let known = candidates(id)
            let after = Set(known.map { $0.after(change, sequence: event.sequence) })
            entities[id] = isDenied ? known.union(after) : after
            for answer in onTheWay[id] ?? [] where answer.log == log {
                let next = candidates(id)
                entities[id] = next.union(next.map { $0.after(answer: answer.fields, sequence: answer.sequence) })
            }
        }
        guard let mutation = event.mutation else { return nil }
        if isDenied { doubtfulMutations.insert(mutation) } else { settledMutations.insert(mutation) }
        return nil
    }

    /// Follows what came of numbers that were lost before.
    ///
    /// One that is lost no more has come: an entity is what it would be had the event come in its place, or a later write stands. One
    /// that is still lost may have come, and have been held off in part.
    private mutating func recover(_ next: [ClosedRange<Int64>], _ log: ServerLog) -> String? {
        for range in lost {
            for event in log.events(after: range.lowerBound - 1, through: range.upperBound) where !event.isPoison {
                if !next.contains(where: { $0.contains(event.sequence) }) {
                    if let problem = apply(event) { return problem }
                } else {
                    for (id, change) in event.changes where event.changes.count > 1 {
                        let known = candidates(id)
                        entities[id] = known.union(known.map { $0.after(change, sequence: event.sequence) })
                    }
                    if let mutation = event.mutation { doubtfulMutations.insert(mutation) }
                }
            }
        }
        return nil
    }

    // MARK: Other writes

    /// An answer, or a confirmation, was stored.
    ///
    /// - Parameters:
    ///   - sequence: The place that it stands for in a log. A cache that heard of no log yet takes it for one in the first that it hears.
    ///   - isCertain: False: it may be stored, now or later, or not.
    ///   - askedAfter: ``leftLogCount`` when it was asked for: of a log that was left since, the place is void.
    package mutating func answer(
        _ id: String, _ fields: ItemFields, log: Int, sequence: Int64, askedAfter: Int, isCertain: Bool
    ) {
        let known = candidates(id)
        onTheWay[id, default: []].append((fields, log, sequence))
        if !hasBegun { origins[id, default: []].insert(log) }
        guard log == self.log && askedAfter == leftLogCount || !hasBegun else {
            blurred.insert(id)
            // The cache cannot know: it takes the place for one in the log that it follows.
            entities[id] = known.union(known.map { Candidate(fields: $0.fields?.merged(fields) ?? fields) })
                .union(known.map { $0.after(answer: fields, sequence: sequence) })
            return
        }
        let after = Set(known.map { $0.after(answer: fields, sequence: sequence) })
        entities[id] = isCertain ? after : known.union(after)
    }

    /// An entity was forgotten.
    package mutating func remove(_ id: String, isCertain: Bool) {
        let known = candidates(id)
        let gone: Set = [Candidate(fields: nil)]
        entities[id] = isCertain ? gone : known.union(gone)
        hasGaps = true
    }

    /// What the cache shows decides between candidates.
    ///
    /// - Parameter base: What it shows without layers; nil: layers lie over it.
    /// - Returns: False when it is none of them.
    package mutating func narrow(_ id: String, base: ItemFields??, isShown: (ItemFields?) -> Bool) -> Bool {
        if let base, let known = entities[id], known.count == 1, known.first?.fields == base { return true }
        let left = candidates(id).filter { isShown($0.fields) }
        guard left.isEmpty else {
            precondition(left.count <= Self.candidateCountMax, "\(left.count) candidates of \(id)")
            entities[id] = left
            return true
        }
        guard blurred.contains(id) else { return false }
        if let base { entities[id] = [Candidate(fields: base)] }
        return true
    }

    /// Whether an answer came from a log before the first that was heard: its place says nothing there.
    package func isMisplaced(_ id: String) -> Bool { hasBegun && origins[id]?.contains { $0 != log } == true }

    /// Takes over what an entity may be from elsewhere.
    package mutating func believe(_ id: String, _ candidates: Set<Candidate>) { entities[id] = candidates }
}
