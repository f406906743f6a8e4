import Synchronization
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTesting

/// The faults of an upstream's answers.
package enum UpstreamFault: CaseIterable, Sendable {
    /// The upstream fails.
    case fails
    /// The upstream responds that it does not know the method.
    case knowsNothing
    /// The answer has no events.
    case isEmpty
    /// The answer has only the first events. This is not a fault, but the cache must send another question.
    case isPartial
    /// The last line is cut off.
    case isCut
    /// The answer includes older events, and repeats events.
    case repeats
    /// The answer omits an event and claims to be complete.
    case lies
    /// The upstream claims that its log is complete up to the largest possible sequence.
    case boasts
    /// The answer takes so long that many inputs happen before it.
    case isLate
}

/// The server of a simulated world, shared by the world and the cache's upstreams.
///
/// Everything happens on one thread; the lock only satisfies the compiler.
package final class SimulatedServer: Sendable {
    /// An answer that the cache received, or will.
    package struct Given: Sendable {
        /// The library of the entities.
        package var library: String
        /// The index of the log in which the answer has its position.
        package var log: Int
        /// The position of the answer in its log.
        package var sequence: Int64
        /// The entities in the answer.
        package var entities: [(id: String, fields: ItemFields)]
        /// How many logs the cache had left when it asked, as far as the simulation knew. The position is void once the
        /// cache follows another log.
        package var askedAfter = 0
        /// True if the answer names its position; false if it is as old as its question.
        package var hasPlace = true
        /// True for the confirmation of an edit that names no position: the entities keep theirs.
        package var keepsPlaces = false
        /// True for the answer to a mutation. It wins over lists and documents that were requested later, but not over
        /// what a host wrote after it was sent.
        package var isMutation = false
        /// The entities that the answer reports as deleted.
        package var deleted: [String] = []
        /// True if the answer has every field of its entities.
        package var isWhole = true
        /// The number of its question; an unsolicited answer gets a number too.
        package var question = 0
    }

    /// The state of the server and of the upstreams.
    package struct State: Sendable {
        /// The libraries by id.
        package var libraries: [String: ServerLibrary] = [:]
        /// The random numbers for the server's decisions.
        package var random: SeededGenerator
        /// The faults of the next answers about missing events, in order.
        package var faults: [UpstreamFault] = []
        /// How many of the next answers to queries and documents fail.
        package var queryFailureCount = 0
        /// True while answers are slow.
        package var isLate = false
        /// The events that an answer claimed not to exist, since the last check.
        package var denied: [(library: String, sequence: Int64)] = []
        /// The usable events in answers, by the log that was read, since the last check.
        package var brought: [(library: String, log: Int, sequence: Int64)] = []
        /// The answers that the cache received since the last check.
        package var given: [Given] = []
        /// How many logs the cache had left at its last check, by library.
        package var leftLogCounts: [String: Int] = [:]
        /// True if an answer had a fault that excuses lost sequences.
        package var hasFailed = false
        /// The answers as text, for the trace; nil without a trace.
        package var trace: [String]?
        /// True if an answer may claim that its log is complete up to the largest sequence. The cache believes this up
        /// to the tail of a heartbeat; if tails are false too, events could be passed over without a fault of the
        /// cache.
        package var mayBoast = true
        /// How many questions are in progress.
        package var questionCount = 0
        /// The edits that the cache sends.
        package var sent = SentEdits()
        /// The documents of a GraphQL client.
        package var graph = GraphQLDesk()
        /// The questions about lists and documents, and their answers.
        package var questions = QuestionDesk()
        /// The log position of the cache at its last check, by library.
        package var places: [String: (log: Int, cursor: Int64)] = [:]
        /// Returns the cache's current log position; nil if there is no cache.
        package var place: (@Sendable (_ library: String) async -> (epoch: String, cursor: Int64)?)?

        /// Draws the delay of an answer in milliseconds. If answers race, several inputs happen before the answer.
        mutating func drawDelay() -> Int64 {
            Int64(random.below(isLate ? 20_000 : questions.isRacing ? 500 : 20))
        }
    }

    let state: Mutex<State>
    let clock: ManualClock

    /// Creates a server with its libraries.
    package init(libraries: [String: ServerLibrary], clock: ManualClock, seed: UInt64) {
        self.clock = clock
        state = Mutex(State(libraries: libraries, random: SeededGenerator(seed: seed)))
    }

    /// Reads or changes the state.
    package func with<Result>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    /// Returns a library by id; nil if there is none.
    package func library(_ name: String) -> ServerLibrary? { state.withLock { $0.libraries[name] } }
}

extension SimulatedServer: Upstream {
    /// An answer about missing events that is decided but not delivered yet.
    private struct Draft: Sendable {
        var lines: [UInt8] = []
        var coveredThrough: Int64?
        var error: UpstreamError?
        var delay: Int64
        var denied: [Int64] = []
    }

    /// Answers with the events from a sequence on, possibly with a fault, after a simulated delay.
    package func events(
        since sequence: EventSequence, of library: ByteString
    ) async throws(UpstreamError) -> UpstreamResponse {
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
        return UpstreamResponse(lines: draft.lines, coveredThrough: draft.coveredThrough.map { EventSequence($0) })
    }

    private static func draft(since first: Int64, _ name: String, _ state: inout State) -> Draft {
        let fault = state.faults.isEmpty ? nil : state.faults.removeFirst()
        var draft = Draft(delay: Int64(state.random.below(state.isLate || fault == .isLate ? 5_000 : 20)))
        guard let library = state.libraries[name] else {
            draft.error = UpstreamError("there is no library \(name)", isFinal: true)
            return draft
        }
        var events = Array(library.log.events(after: first - 1, through: .max))
        // After a restart, a log without events for the question cannot say up to where it is complete.
        let isOver = library.logs.count > 1 && events.isEmpty
        draft.coveredThrough = state.random.chance(500) && !isOver ? library.last : nil
        // Sequences that the log never had stay missing if no answer says up to where the log is complete.
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
