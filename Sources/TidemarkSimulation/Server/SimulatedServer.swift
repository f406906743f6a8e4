import Synchronization
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTesting

/// The faults of an upstream's next answers.
package enum UpstreamFault: CaseIterable, Sendable {
    case fails
    /// The upstream does not know the question, and reports this.
    case knowsNothing
    case isEmpty
    /// The answer has the first events only. This is not a fault of an upstream, but makes the cache ask again.
    case isPartial
    /// The last line ends in its middle.
    case isCut
    /// The answer has older events too, and some events twice.
    case repeats
    /// The answer leaves out events and claims to be complete.
    case lies
    /// The upstream claims that its log is complete up to the largest possible number.
    case boasts
    /// The answer takes so long that much happens meanwhile.
    case isLate
}

/// The server of a simulated world, shared by the world and the upstreams that the cache asks.
///
/// Everything happens on one thread; the lock is there for the compiler.
package final class SimulatedServer: Sendable {
    /// An answer to a query that the cache received.
    package struct Given: Sendable {
        package var library: String
        package var log: Int
        package var sequence: Int64
        package var entities: [(id: String, fields: ItemFields)]
        /// The number of logs that the cache had left when it asked, as far as the world knew. The answer's place in
        /// the log is void once the cache follows another log.
        package var askedAfter = 0
        /// Whether the answer names its place. Else it is as old as its question.
        package var hasPlace = true
        /// Whether it confirms an edit and names no place: the entities keep the places that they have.
        package var keepsPlaces = false
        /// Whether it answers a mutation: it wins over lists and documents that were asked for later, and not over what
        /// a host wrote after it was sent.
        package var isMutation = false
        /// The entities that it says are gone.
        package var deleted: [String] = []
        /// Whether the answer has every field of its entities.
        package var isWhole = true
        /// The number of its question; an answer that nobody asked for has a number of its own.
        package var question = 0
    }

    package struct State: Sendable {
        package var libraries: [String: ServerLibrary] = [:]
        package var random: SeededGenerator
        /// The faults of the next answers, in order.
        package var faults: [UpstreamFault] = []
        /// The number of next answers to queries that fail.
        package var queryFailureCount = 0
        package var isLate = false
        /// The events that an answer denied.
        package var denied: [(library: String, sequence: Int64)] = []
        /// Usable events that answers brought, by the log that was asked.
        package var brought: [(library: String, log: Int, sequence: Int64)] = []
        package var given: [Given] = []
        /// The number of logs that the cache had left at its last check, by library.
        package var leftLogCounts: [String: Int] = [:]
        /// Whether an answer had a fault that excuses lost numbers.
        package var hasFailed = false
        /// The answers as text, for the trace; nil without a trace.
        package var trace: [String]?
        /// Whether an answer may claim that its log is complete up to the largest number. The cache believes this up to
        /// the tail of a heartbeat; where tails lie, too, events could pass unseen without a fault of the cache.
        package var mayBoast = true
        /// The number of questions under way.
        package var questionCount = 0
        /// The edits that the cache sends.
        package var sent = SentEdits()
        /// The documents of a GraphQL client.
        package var graph = GraphDesk()
        /// The questions about lists and documents, and what became of them.
        package var questions = QuestionDesk()
        /// The place that the cache follows, by library, as of its last check.
        package var places: [String: (log: Int, cursor: Int64)] = [:]
        /// Returns the cache's place in its log now.
        package var place: (@Sendable (_ library: String) async -> (epoch: String, cursor: Int64)?)?

        /// Draws the milliseconds until an answer: where answers race, several inputs pass meanwhile.
        mutating func drawDelay() -> Int64 {
            Int64(random.below(isLate ? 20_000 : questions.isRacing ? 500 : 20))
        }
    }

    let state: Mutex<State>
    let clock: ManualClock

    package init(libraries: [String: ServerLibrary], clock: ManualClock, seed: UInt64) {
        self.clock = clock
        state = Mutex(State(libraries: libraries, random: SeededGenerator(seed: seed)))
    }

    package func with<Result>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    package func library(_ name: String) -> ServerLibrary? { state.withLock { $0.libraries[name] } }
}

extension SimulatedServer: Upstream {
    /// An answer that an upstream has drawn and not given yet.
    private struct Draft: Sendable {
        var lines: [UInt8] = []
        var coveredThrough: Int64?
        var error: UpstreamError?
        var delay: Int64
        var denied: [Int64] = []
    }

    package func events(
        since sequence: EventSequence, of library: ByteString
    ) async throws(UpstreamError) -> UpstreamAnswer {
        let name = library.description
        let draft = state.withLock { state in
            state.questionCount += 1
            return Self.draft(since: sequence.rawValue, name, &state)
        }
        defer { state.withLock { $0.questionCount -= 1 } }
        do throws(CancellationError) {
            try await clock.sleep(milliseconds: draft.delay)
        } catch {
            throw UpstreamError("the request was cancelled")
        }
        state.withLock { state in
            state.denied += draft.denied.map { (name, $0) }
        }
        if let error = draft.error { throw error }
        return UpstreamAnswer(lines: draft.lines, coveredThrough: draft.coveredThrough.map { EventSequence($0) })
    }

    private static func draft(since first: Int64, _ name: String, _ state: inout State) -> Draft {
        let fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
        var draft = Draft(delay: Int64(state.random.below(state.isLate || fault == .isLate ? 5_000 : 20)))
        guard let library = state.libraries[name] else {
            draft.error = UpstreamError("there is no library \(name)", isFinal: true)
            return draft
        }
        var events = Array(library.log.events(after: first - 1, through: .max))
        // Nobody can say up to where a log is complete that has no events for the question after a restart.
        let isOver = library.logs.count > 1 && events.isEmpty
        draft.coveredThrough = state.random.chance(500) && !isOver ? library.last : nil
        // Numbers that the log never had stay missing when no answer says up to where the log is complete.
        state.hasFailed = state.hasFailed || first > library.last && !state.mayBoast || library.logs.count > 1
        switch fault {
        case .fails:
            draft.error = UpstreamError("the server is away")
        case .knowsNothing:
            draft.error = UpstreamError("method not found", isFinal: true)
        case .isEmpty:
            (events, draft.coveredThrough) = ([], nil)
        case .isPartial:
            events = Array(events.prefix(1 + state.random.below(3)))
            draft.coveredThrough = events.last.map(\.sequence)
        case .repeats:
            events = library.log.events(after: first - 4, through: .max).flatMap { [$0, $0] }
        case .lies:
            let index = events.isEmpty ? nil : state.random.below(events.count)
            if let index { draft.denied = [events.remove(at: index).sequence] }
            draft.coveredThrough = library.logs.count > 1 && events.isEmpty ? nil : library.last
        case .boasts:
            draft.coveredThrough = isOver || !state.mayBoast ? nil : .max
        case .isCut, .isLate, nil:
            break
        }
        state.trace?.append(
            "    ? \(name) from \(first): \(fault.map { "\($0), " } ?? "")events \(events.map(\.sequence)), "
                + "covered through \(draft.coveredThrough.map { "\($0)" } ?? "-"), in \(draft.delay) ms")
        if let fault, fault != .repeats, fault != .isLate, fault != .isPartial { state.hasFailed = true }
        if draft.error != nil { return draft }
        for event in events { draft.lines += Array((library.line(event) + "\n").utf8) }
        if fault == .isCut, draft.lines.count > 12 {
            draft.lines.removeLast(10)
            draft.coveredThrough = nil
            events.removeLast()
        }
        for event in events where !event.isPoison {
            state.brought.append((name, library.logs.count - 1, event.sequence))
        }
        return draft
    }
}
