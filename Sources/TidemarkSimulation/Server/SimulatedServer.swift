import Synchronization
import Tidemark
import TidemarkModel
import TidemarkTesting

/// How an upstream's next answers are.
package enum UpstreamFault: CaseIterable, Sendable {
    case fails
    /// It does not know the question, and says so.
    case knowsNothing
    case isEmpty
    /// The first events only; that is no fault of an upstream, but asks for more questions.
    case isPartial
    /// The last line ends in its middle.
    case isCut
    /// Older events come along, and some twice.
    case repeats
    /// It leaves out events and says that it did not.
    case lies
    /// It says that its log is whole up to the last number there can be.
    case boasts
    /// It takes so long that much happens meanwhile.
    case isLate
}

/// The server of a simulated world, shared by the world and the upstreams that the cache asks.
///
/// Everything happens on one thread; the lock is there for the compiler.
package final class SimulatedServer: Sendable {
    /// An answer to a query that the cache was given.
    package struct Given: Sendable {
        package var library: String
        package var log: Int
        package var sequence: Int64
        package var entities: [(id: String, fields: ItemFields)]
        /// How many logs the cache had left when it asked, as far as the world knew: what it says of a place in the log is void once that
        /// is another one.
        package var askedAfter = 0
    }

    package struct State: Sendable {
        package var libraries: [String: ServerLibrary] = [:]
        package var random: SeededGenerator
        /// What is wrong with the next answers, first to last.
        package var faults: [UpstreamFault] = []
        /// Answers to queries fail, so many.
        package var queryFailureCount = 0
        package var isLate = false
        /// Events that an answer denied.
        package var denied: [(library: String, sequence: Int64)] = []
        /// Usable events that answers brought, by the log that was asked.
        package var brought: [(library: String, log: Int, sequence: Int64)] = []
        package var given: [Given] = []
        /// Logs that the cache has left, by library, when it was looked at last.
        package var leftLogCounts: [String: Int] = [:]
        /// Something went wrong with an answer: what is lost then is nobody's fault.
        package var hasFailed = false
        /// What was answered, for who reads along; nil when nobody does.
        package var told: [String]?
        /// A word for "all" is believed up to a tail that was heard: where tails lie, too, what passes unsaid is nobody's fault.
        package var mayBoast = true
        /// Questions under way.
        package var questionCount = 0
    }

    private let state: Mutex<State>
    private let clock: ManualClock

    package init(libraries: [String: ServerLibrary], clock: ManualClock, seed: UInt64) {
        self.clock = clock
        state = Mutex(State(libraries: libraries, random: SeededGenerator(seed: seed)))
    }

    package func with<Result>(_ body: (inout State) -> Result) -> Result { state.withLock { body(&$0) } }

    package func library(_ name: String) -> ServerLibrary? { state.withLock { $0.libraries[name] } }
}

extension SimulatedServer: Upstream {
    /// What an upstream is about to say.
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
            throw UpstreamError("the question was taken back")
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
        // Of a log that was asked for in vain nobody can say up to where it is whole.
        let isOver = library.logs.count > 1 && events.isEmpty
        draft.coveredThrough = state.random.chance(500) && !isOver ? library.last : nil
        // Numbers that lies name are missing for ever where nobody says up to where the log is whole.
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
        state.told?.append(
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

extension SimulatedServer: QueryUpstream {
    package func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult {
        let drawn: (Result<(QueryResult, Given), UpstreamError>, Int64) = state.withLock { state in
            state.questionCount += 1
            let delay = Int64(state.random.below(state.isLate ? 20_000 : 20))
            guard state.queryFailureCount == 0 else {
                state.queryFailureCount -= 1
                return (.failure(UpstreamError("the server is away")), delay)
            }
            guard let library = state.libraries[query.library.description],
                let kind = ServerQuery.allCases.first(where: { ByteString($0.input) == query.input })
            else { return (.failure(UpstreamError("no such query")), delay) }
            let askedAfter = state.leftLogCounts[library.name] ?? 0
            return (
                Self.answer(kind, library).map { result, given in
                    var given = given
                    given.askedAfter = askedAfter
                    return (result, given)
                }, delay
            )
        }
        defer { state.withLock { $0.questionCount -= 1 } }
        do throws(CancellationError) {
            try await clock.sleep(milliseconds: drawn.1)
        } catch {
            throw UpstreamError("the question was taken back")
        }
        let (result, given) = try drawn.0.get()
        state.withLock { state in
            state.given.append(given)
            state.told?.append(
                "    = \(given.library) \(query.input) at \(given.sequence): \(given.entities.map { "\($0.id) \($0.fields)" })"
            )
        }
        return result
    }

    /// What the server says to a query now.
    package static func answer(
        _ kind: ServerQuery, _ library: ServerLibrary
    ) -> Result<(QueryResult, Given), UpstreamError> {
        do throws(ReferenceJSONError) {
            let ids = try kind.ids(of: library.entities)
            let entities = ids.compactMap { id in library.entities[id].map { (id: id, fields: $0) } }
            var result = QueryResult(
                resourceType: "file", resources: entities.map { Array($0.fields.resource($0.id).utf8) })
            result.asOf = EventSequence(library.last)
            result.membership = kind.membership.map { Array($0.utf8) }
            result.isLocal = kind == .local
            return .success(
                (
                    result,
                    Given(
                        library: library.name, log: library.logs.count - 1, sequence: library.last, entities: entities)
                ))
        } catch {
            return .failure(UpstreamError("a simulated resource is no JSON"))
        }
    }
}
