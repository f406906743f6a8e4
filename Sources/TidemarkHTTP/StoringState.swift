import Tidemark
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore

/// How the effects of one complete response are stored. It makes all decisions, without tasks: the client performs each
/// action and reports how it ended.
///
/// | phase | event | action |
/// |---|---|---|
/// | `new` | `begin`, outdated | `write` the removals of the hops |
/// | `new` | `begin`, a confirmation | `read` the stored body if it has entities, then `write`; otherwise `write` |
/// | `new` | `begin`, another response that changes stored ones | `look` which ones it replaces |
/// | `looking` | `looked` | `read` the stored body, to combine a partial response with it |
/// | `combining` | `read` | `write` the combination |
/// | `looking`, `combining` | … | `look` for the response to GET that a response to HEAD refreshes |
/// | `looking`, `lookingForGet` | … | `read` the stored body if its entity is gone, or if the new body may equal it |
/// | any of these | … | `write` the response, with its entities |
/// | `writing` | `written` | `end` |
/// | any | `failed` | `write` the removal of what the response outdates, then `end`: it is returned and not stored |
///
/// Laws: L12. An event that a phase does not wait for is a programmer error.
struct StoringState: Sendable {
    typealias Found = HTTPResponseStore.Found

    enum Event: Sendable {
        case begin
        case looked(HTTPResponseStore.Lookup)
        /// A stored body was read; nil if it is damaged.
        case read([UInt8]?)
        /// A transaction was committed. The number is that of the entities which a renewal renewed.
        case written(Int)
        /// The action failed.
        case failed(CacheError)
    }

    /// What the state may know of the world at the time of an event.
    struct Facts: Hashable, Sendable {
        /// True if no removal and no newer response has outdated the request.
        var mayStore: Bool
        /// True if a body that was written to the disk while it arrived is in the file that is open now.
        var isDraftCurrent: Bool
    }

    /// What the client does at once, before the action, and without waiting.
    enum Effect: Sendable {
        /// Records that the response is accepted: it outdates older requests that it would also have answered.
        case accept(varying: [ByteString])
        /// Updates the copy in memory of a response that was confirmed.
        case noteConfirmation(Found)
        /// Notes that the observers of the request have news.
        case changed
    }

    /// What the client does next. Each action but `end` is answered with one event.
    enum Action: Sendable {
        /// Looks up what is stored for a request now.
        case look(HTTPFetch)
        case read(Found)
        case write(HTTPTransaction)
        case end(CompletedExchange)
    }

    struct Step: Sendable {
        var effects: [Effect] = []
        var action: Action
    }

    /// What the state waits for.
    enum Phase: Sendable {
        case new
        case looking
        case combining
        case writingCombination
        case lookingForGet
        case readingGone
        case comparing
        /// The body of a confirmed response is read, because other entities are wanted than were made of it.
        case readingForEntities(Found)
        /// The body of a confirmed response is read to renew its entities.
        case readingForRenewal(Found)
        case writing(Writing)
        case removing
        case ended
    }

    /// The last transaction of a response, and what it means.
    enum Writing: Sendable {
        /// It has nothing that the result names.
        case changes
        case confirmation(Found)
        case renewal
        /// Entities of a confirmed response. If they cannot be stored, the confirmation still counts.
        case entitiesOfConfirmed(HTTPFetched.Normalized)
        /// A new response. If its entities cannot be stored, it is written without them.
        case response(entityCount: Int?)
    }

    /// The settings that decide, beside the request's own.
    struct Settings: Sendable {
        var defaults: HTTPClientDefaults
        var limits: Limits
        /// True if the response is returned already, and was read while it arrived: a failure then changes nothing.
        var isReturned = false
    }

    var phase = Phase.new
    let question: HTTPClient.Question
    let lookup: HTTPResponseStore.Lookup?
    let settings: Settings
    /// The cursor of the library when a fetch of entities was begun; nil if none was.
    let begun: FetchBeginning?
    /// The response, with what is known of it.
    var completed: CompletedExchange
    /// The changes of the transaction that is being prepared.
    var changes: [HTTPChange]
    var storing = ResponseOutcome.Storing.leave
    /// The numbers of the stored responses that this one replaces.
    var replaced: [Int64] = []

    var fetch: HTTPFetch { question.fetch }
    var found: Found? { lookup?.found }

    /// Creates the state of a response of which nothing is stored.
    ///
    /// - Parameters:
    ///   - lookup: What was stored when the request was sent.
    ///   - changes: The removals caused by unsafe hops.
    init(
        _ completed: CompletedExchange, _ question: HTTPClient.Question, _ lookup: HTTPResponseStore.Lookup?,
        begun: FetchBeginning?, changes: [HTTPChange], settings: Settings
    ) {
        self.completed = completed
        self.question = question
        self.lookup = lookup
        self.begun = begun
        self.changes = changes
        self.settings = settings
    }

    /// Decides what follows an event.
    mutating func handle(_ event: Event, _ facts: Facts) -> Step {
        precondition(awaits(event), "\(event.name) while a response is \(phase.name)")
        switch (phase, event) {
        case (.new, .begin): return begin(facts)
        case (.looking, .looked(let now)):
            replaced = Set(lookup?.replaced ?? []).union(now.replaced).sorted()
            return combine()
        case (.combining, .read(let old)): return combine(with: old)
        case (.writingCombination, .written):
            completed.isStored = true
            storing = .leave
            return lookForGet()
        case (.lookingForGet, .looked(let ofGet)): return refresh(ofGet.found)
        case (.readingGone, .read(let body)): return delete(body, facts)
        case (.comparing, .read(let body)): return compare(body, facts)
        case (.readingForEntities(let confirmed), .read(let body)):
            guard let body else { return withoutEntities("the stored body is damaged") }
            return makeEntities(of: confirmed, body)
        case (.readingForEntities, .failed(let error)): return withoutEntities(error.message)
        case (.readingForRenewal(let confirmed), .read(let body)): return renew(confirmed, body, facts)
        case (.writing(let writing), .written(let count)): return written(writing, count, facts)
        case (.writing(.entitiesOfConfirmed), .failed(let error)):
            completed.normalized = .error(error.message)
            return end(facts)
        case (.writing(.response(.some)), .failed(let error)):
            completed.normalized = .error(error.message)
            return write(.changes(changes), .response(entityCount: nil))
        case (.removing, .written), (.removing, .failed):
            phase = .ended
            return Step(action: .end(completed))
        case (_, .failed(let error)): return fail(error, facts)
        case (_, .begin), (_, .looked), (_, .read), (_, .written):
            preconditionFailure("\(event.name) while a response is \(phase.name)")
        }
    }

    /// True if an event may follow in this phase.
    func awaits(_ event: Event) -> Bool {
        switch (phase, event) {
        case (.new, .begin), (.looking, .looked), (.lookingForGet, .looked), (.combining, .read), (.readingGone, .read),
            (.comparing, .read), (.readingForEntities, .read), (.readingForRenewal, .read),
            (.writingCombination, .written), (.writing, .written), (.removing, .written):
            true
        case (.new, .failed), (.ended, .failed): false
        case (_, .failed): true
        case (_, .begin), (_, .looked), (_, .read), (_, .written): false
        }
    }

    private mutating func begin(_ facts: Facts) -> Step {
        let outcome = self.outcome
        guard facts.mayStore else {
            completed.isOutdated = true
            if outcome == .confirmed, let found { completed.outcome = .confirmed(found, isLast: false) }
            if fetch.normalization != nil { completed.normalized = .error(StoringState.outdatedResponse) }
            return write(.changes(changes), .changes)
        }
        if outcome == .confirmed, let found { return confirm(found) }
        if case .new(let decided) = outcome { storing = decided }
        if !facts.isDraftCurrent { storing = .leave }
        guard storing != .leave else { return combine() }
        phase = .looking
        // An older request may have been answered since this one was sent; its response is replaced, too.
        return Step(
            effects: [.accept(varying: Vary.names(of: completed.head.fields))], action: .look(fetch))
    }

    private static let outdatedResponse =
        "stored answers were removed, or a newer one came, while this one was on its way"

    private var outcome: ResponseOutcome {
        ResponseRules.outcome(
            completed.head, to: fetch.request, over: found?.answer.head, fetch.rules,
            isConditional: completed.isConditional, isKeyed: fetch.isKeyed, at: completed.stored.answeredAt)
    }

    // MARK: The end

    mutating func write(_ transaction: HTTPTransaction, _ writing: Writing) -> Step {
        phase = .writing(writing)
        return Step(action: .write(transaction))
    }

    private mutating func written(_ writing: Writing, _ count: Int, _ facts: Facts) -> Step {
        switch writing {
        case .changes: break
        case .confirmation(let confirmed):
            var step = end(facts)
            step.effects.insert(.noteConfirmation(confirmed), at: 0)
            return step
        case .renewal: if fetch.normalization != nil { completed.normalized = .entities(count) }
        case .entitiesOfConfirmed(let normalized): completed.normalized = normalized
        case .response(let entityCount):
            if let entityCount { completed.normalized = .entities(entityCount) }
            completed.isStored = (storing == .store || completed.isStored) && facts.isDraftCurrent
        }
        return end(facts)
    }

    private mutating func end(_ facts: Facts) -> Step {
        phase = .ended
        // The journal has checked again within its transaction. What it refused is not stored.
        if !facts.mayStore { (completed.isStored, completed.isOutdated) = (false, true) }
        return Step(effects: completed.isStored ? [.changed] : [], action: .end(completed))
    }

    /// A response that cannot be stored is still returned. The one that it would have replaced is outdated.
    mutating func fail(_ error: CacheError, _ facts: Facts) -> Step {
        completed.isStored = false
        if fetch.normalization != nil { completed.normalized = .error(error.message) }
        if case .answered = completed.outcome, !settings.isReturned, facts.mayStore,
            case .new(let storing) = outcome, storing != .leave, let replaced = lookup?.replaced, !replaced.isEmpty
        {
            phase = .removing
            return Step(action: .write(.changes([.remove(replaced)])))
        }
        phase = .ended
        return Step(action: .end(completed))
    }
}

extension StoringState.Event {
    /// The name, without what may be long or secret.
    var name: String {
        switch self {
        case .begin: "begin"
        case .looked: "looked"
        case .read: "read"
        case .written: "written"
        case .failed: "failed"
        }
    }
}

extension StoringState.Phase {
    /// The name, without what may be long or secret.
    var name: String {
        switch self {
        case .new: "new"
        case .looking: "looking"
        case .combining: "combining"
        case .writingCombination: "writingCombination"
        case .lookingForGet: "lookingForGet"
        case .readingGone: "readingGone"
        case .comparing: "comparing"
        case .readingForEntities: "readingForEntities"
        case .readingForRenewal: "readingForRenewal"
        case .writing: "writing"
        case .removing: "removing"
        case .ended: "ended"
        }
    }
}
