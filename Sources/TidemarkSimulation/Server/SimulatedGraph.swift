import Synchronization
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkGraphQL
import TidemarkModel
import TidemarkTesting

/// The simulated server as a GraphQL server: its responses race with events, and get lost.
///
/// A response names no log position: it counts as of the cache's cursor when the request was sent. The simulation knows
/// that position only to lie between the cache's last check and the arrival of the request, so each response is
/// recorded with every position that it may have.
final class SimulatedGraph: GraphQLUpstream {
    private let server: SimulatedServer
    private let clock: ManualClock

    init(_ server: SimulatedServer) {
        self.server = server
        clock = server.clock
    }

    var keepsTime: Bool { true }

    func stop(fetch: UInt64) {}

    func ask(_ request: GraphQLUpstreamRequest) async throws(UpstreamError) -> GraphQLUpstreamResponse {
        server.with { $0.questionCount += 1 }
        defer { server.with { $0.questionCount -= 1 } }
        let name = request.operationName?.description ?? ""
        let library = request.library.description
        if request.kind == .mutation { server.with { $0.graph.edits[name]?.fate = .arrived } }
        let place = await server.with { $0.place }?(library)
        let fate = server.with { state -> Fate in
            state.trace?.append("    ? \(name) of \(library) at \(place.map { "\($0)" } ?? "no place")")
            guard let place else { return .fails(UpstreamError("the server is away"), delay: 0) }
            return request.kind == .mutation
                ? Self.perform(name, place, &state) : Self.answer(name, place, &state)
        }
        do throws(CancellationError) {
            try await clock.sleep(milliseconds: fate.delay)
        } catch {
            throw UpstreamError("the request was cancelled")
        }
        server.with { fate.end(name, &$0) }
        switch fate {
        case .fails(let error, _): throw error
        case .answers(let text, _, _):
            do throws(ResponseError) {
                return .whole(try ResponseParts(Array(text.utf8)))
            } catch {
                preconditionFailure("the simulated server wrote \(text), which is no answer: \(error)")
            }
        }
    }

    // MARK: Deciding

    private enum Fate: Sendable {
        case fails(UpstreamError, delay: Int64)
        /// The server sends a response, given as text.
        ///
        /// - Parameter given: The entities in the response; nil for a response without data.
        case answers(String, [SimulatedServer.Given]?, delay: Int64)

        var delay: Int64 {
            switch self {
            case .fails(_, let delay), .answers(_, _, let delay): delay
            }
        }

        /// Records the outcome at the moment when the client receives it.
        func end(_ name: String, _ state: inout SimulatedServer.State) {
            let fate: GraphQLEdit.Fate
            switch self {
            case .fails(let error, _): fate = error.isRefusal ? .refused : .lost
            case .answers(_, nil, _): fate = .refused
            case .answers(let text, let given?, _):
                state.trace?.append("    = \(name): \(text), at \(given.map { "\($0.log)@\($0.sequence)" })")
                state.given += given
                fate = .answered(given)
            }
            if let edit = state.graph.edits[name] { state.questions.mutated(edit.library, edit.id) }
            state.graph.edits[name]?.fate = fate
        }
    }

    private static func answer(
        _ name: String, _ place: (epoch: String, cursor: Int64), _ state: inout SimulatedServer.State
    ) -> Fate {
        let delay = state.drawDelay()
        guard state.queryFailureCount == 0 else {
            state.queryFailureCount -= 1
            return .fails(UpstreamError("the server is away"), delay: delay)
        }
        guard let question = state.graph.questions[name], let library = state.libraries[question.library] else {
            return .fails(UpstreamError("no such question"), delay: delay)
        }
        let answer = question.answer(from: library.entities)
        let number = state.questions.ask(library.name)
        return .answers(answer.text, given(answer.given, library, place, state, number), delay: delay)
    }

    /// Performs a mutation, refuses it, or does one of these and loses the response.
    private static func perform(
        _ name: String, _ place: (epoch: String, cursor: Int64), _ state: inout SimulatedServer.State
    ) -> Fate {
        let delay = state.drawDelay()
        let fault = state.random.below(10)
        if fault == 0 { return .fails(UpstreamError("the connection is cut"), delay: delay) }
        if fault == 1 { return .fails(UpstreamError("the host refuses", isRefusal: true), delay: delay) }
        guard fault != 2, let edit = state.graph.edits[name], let library = state.libraries[edit.library],
            var after = edit.operation.applied(to: library.entities[edit.id])
        else { return .answers(#"{"data":null,"errors":[{"message":"refused"}]}"#, nil, delay: delay) }
        let number = state.questions.ask(library.name)
        if state.questions.isRacing { after.values["v"] = "\(state.questions.nextStamp())" }
        let mutation = state.random.chance(700) ? name : nil
        guard let event = state.libraries[edit.library]?.append([(edit.id, .replace(after))], mutation: mutation),
            let now = state.libraries[edit.library]
        else { return .fails(UpstreamError("no such library"), delay: delay) }
        state.sent.posted.append(
            WireLine(
                text: now.line(event), library: edit.library, log: now.logs.count - 1, base: event.sequence - 1,
                sequence: event.sequence, isEvent: true))
        if fault == 3 { return .fails(UpstreamError("the connection is cut after the request"), delay: delay) }
        let question = GraphQLQuestion(
            name: name, library: edit.library, selections: [.init(id: edit.id, fields: edit.names)])
        let answer = question.answer(from: now.entities)
        let text = answer.text.split(separator: "\"f0\"", omittingEmptySubsequences: false).joined(
            separator: "\"edit\"")
        var places = given(answer.given, now, place, state, number)
        for index in places.indices { places[index].isMutation = true }
        return .answers(text, places, delay: delay)
    }

    /// Returns a response with every position that it may have.
    private static func given(
        _ entities: [(id: String, fields: ItemFields)], _ library: ServerLibrary,
        _ place: (epoch: String, cursor: Int64), _ state: SimulatedServer.State, _ question: Int
    ) -> [SimulatedServer.Given] {
        let given = SimulatedServer.Given(
            library: library.name, log: library.logs.count - 1, sequence: library.last, entities: entities,
            askedAfter: state.leftLogCounts[library.name] ?? 0, hasPlace: false, isWhole: false, question: question)
        return SimulatedServer.everyPlace(of: given, place, state)
    }
}

/// The state of a simulated server for GraphQL documents.
package struct GraphQLDesk: Sendable {
    /// The questions by name of their operation. Bounded by the inputs of the plan.
    package var questions: [String: GraphQLQuestion] = [:]
    /// The mutations by pending id. Bounded by the inputs of the plan.
    package var edits: [String: GraphQLEdit] = [:]
}
