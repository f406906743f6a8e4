import Synchronization
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTesting

extension SimulatedServer: QueryUpstream {
    /// An answer to a query that is decided but not delivered yet.
    private struct Draft: Sendable {
        var answer: Result<(QueryResult, Given), UpstreamError>
        var delay: Int64
        var query: ServerQuery?
    }

    /// Answers a query, or fails, after a simulated delay.
    package func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult {
        let (isRacing, placeOf) = state.withLock { state in
            state.questionCount += 1
            return (state.questions.isRacing, state.place)
        }
        defer { state.withLock { $0.questionCount -= 1 } }
        let name = query.library.description
        let place = isRacing ? await placeOf?(name) : nil
        let draft = state.withLock { Self.draft(query, name, place, &$0) }
        do throws(CancellationError) {
            try await clock.sleep(milliseconds: draft.delay)
        } catch {
            throw UpstreamError("the request was cancelled")
        }
        let (result, given) = try draft.answer.get()
        state.withLock { state in
            state.given += isRacing ? Self.everyPlace(of: given, place, state) : [given]
            if let query = draft.query {
                state.questions.listed.append(
                    QuestionDesk.Listed(
                        library: name, query: query, question: given.question, ids: given.entities.map(\.id)))
            }
            state.trace?.append(
                "    = \(given.library) \(query.input), question \(given.question), at \(given.sequence): "
                    + "\(given.entities.map { "\($0.id) \($0.fields)" })")
        }
        return result
    }

    private static func draft(
        _ query: QueryKey, _ name: String, _ place: (epoch: String, cursor: Int64)?, _ state: inout State
    ) -> Draft {
        let delay = state.drawDelay()
        guard state.queryFailureCount == 0 else {
            state.queryFailureCount -= 1
            return Draft(answer: .failure(UpstreamError("the server is away")), delay: delay)
        }
        guard let library = state.libraries[name],
            let kind = ServerQuery.allCases.first(where: { ByteString($0.input) == query.input })
        else { return Draft(answer: .failure(UpstreamError("no such query")), delay: delay) }
        let question = state.questions.ask(name, kind)
        if state.questions.isRacing, place == nil {
            return Draft(answer: .failure(UpstreamError("the server is away")), delay: delay)
        }
        let askedAfter = state.leftLogCounts[name] ?? 0
        let racing = state.questions.isRacing ? question : nil
        return Draft(
            answer: answer(kind, library, racing: racing).map { result, given in
                var given = given
                given.askedAfter = askedAfter
                given.question = question
                return (result, given)
            }, delay: delay, query: kind)
    }

    /// Returns an answer that names no position with every position that it may have.
    ///
    /// It counts as of the cache's cursor when the question was asked, which the simulation knows only to lie between
    /// the last check and the arrival of the question.
    static func everyPlace(
        of given: Given, _ place: (epoch: String, cursor: Int64)?, _ state: State
    ) -> [Given] {
        guard let place, let library = state.libraries[given.library] else { return [] }
        let log = library.logIndex(epoch: place.epoch) ?? library.logs.count - 1
        var places = [(log, place.cursor)]
        var first = library.logs[log].base
        if let checked = state.places[library.name] {
            places.append(checked)
            if checked.log == log { first = min(checked.cursor, place.cursor) }
        }
        places += library.logs[log].events(after: first, through: place.cursor).map { (log, $0.sequence) }
        return places.map { log, sequence in
            var placed = given
            (placed.log, placed.sequence, placed.hasPlace) = (log, sequence, false)
            return placed
        }
    }

    /// Returns the server's current answer to a query.
    ///
    /// - Parameter question: The number of the question if answers race: the answer then names no position, and a list
    ///   without a rule has an order of its own. nil if they do not race.
    package static func answer(
        _ kind: ServerQuery, _ library: ServerLibrary, racing question: Int? = nil
    ) -> Result<(QueryResult, Given), UpstreamError> {
        do throws(ReferenceJSONError) {
            var ids = try kind.ids(of: library.entities)
            if let question, kind == .liked { ids = QuestionDesk.shuffled(ids, by: question) }
            let entities = ids.compactMap { id in library.entities[id].map { (id: id, fields: $0) } }
            var result = QueryResult(
                resourceType: "file", resources: entities.map { Array($0.fields.resource($0.id).utf8) })
            result.asOf = question == nil ? EventSequence(library.last) : nil
            result.membership = kind.membership.map { Array($0.utf8) }
            result.isLocal = kind == .local
            return .success(
                (
                    result,
                    Given(
                        library: library.name, log: library.logs.count - 1, sequence: library.last, entities: entities,
                        hasPlace: question == nil, question: question ?? 0)
                ))
        } catch {
            return .failure(UpstreamError("a simulated resource is not JSON"))
        }
    }
}
