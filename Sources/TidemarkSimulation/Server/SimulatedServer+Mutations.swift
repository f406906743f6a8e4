import Synchronization
import Tidemark
import TidemarkModel
import TidemarkTesting

extension SimulatedServer: MutationUpstream {
    /// The outcome of one request.
    private enum Fate: Sendable {
        case fails(UpstreamError, delay: Int64)
        case answered(OptimisticCommit, Given?, delay: Int64)
    }

    /// Receives one attempt at an edit: performs it, refuses it, or loses the request or the answer.
    package func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
        let (fate, leftLogCount) = state.withLock { state in
            state.questionCount += 1
            return (Self.fate(of: mutation, &state), state.leftLogCounts[mutation.library.description] ?? 0)
        }
        defer { state.withLock { $0.questionCount -= 1 } }
        let delay =
            switch fate {
            case .fails(_, let delay), .answered(_, _, let delay): delay
            }
        do throws(CancellationError) {
            try await clock.sleep(milliseconds: delay)
        } catch {
            throw UpstreamError("the request was cancelled")
        }
        switch fate {
        case .fails(let error, _): throw error
        case .answered(let commit, let given, _):
            state.withLock { state in
                if let given { state.given.append(given) }
                state.sent.answered(
                    mutation.pendingID.description, confirms: commit.sequence == nil || given != nil,
                    askedAfter: leftLogCount)
                state.trace?.append("    = \(mutation.pendingID) at \(commit.sequence.map { "\($0)" } ?? "no place")")
            }
            return commit
        }
    }

    private static func fate(of mutation: SentMutation, _ state: inout State) -> Fate {
        let pendingID = mutation.pendingID.description
        guard let (edit, arrival) = state.sent.arrive(mutation) else {
            return .fails(UpstreamError("no such edit", isRefusal: true), delay: 0)
        }
        var delay = state.drawDelay()
        let fault = state.sent.hasFaults ? state.random.below(10) : 9
        state.trace?.append("    ? \(pendingID), attempt \(mutation.attempt), fault \(fault)")
        if fault == 0 { return .fails(UpstreamError("the connection is cut"), delay: delay) }
        if fault == 1, edit.place == nil {
            state.sent.refused(pendingID)
            return .fails(UpstreamError("the server refuses the edit", isRefusal: true), delay: delay)
        }
        // So late that the answer arrives after the end of its attempt.
        if fault == 2 { delay = 20_000 + Int64(state.random.below(60_000)) }
        if edit.place == nil, !perform(pendingID, edit, arrival, &state) {
            state.sent.refused(pendingID)
            return .fails(UpstreamError("there is no such entity", isRefusal: true), delay: delay)
        }
        if fault == 3 { return .fails(UpstreamError("the connection is cut behind the request"), delay: delay) }
        return answer(pendingID, edit, &state, delay: delay)
    }

    /// Performs an edit: appends its event to the log and puts the line on the wire.
    ///
    /// - Returns: False if the server no longer has an entity that a patch changes.
    private static func perform(_ pendingID: String, _ edit: SentEdits.Edit, _ arrival: Int, _ state: inout State)
        -> Bool
    {
        guard let library = state.libraries[edit.library] else { return false }
        var changes: [(id: String, change: ServerChange)] = []
        for (id, operation) in edit.changes {
            switch operation {
            case .put(let fields): changes.append((id, .replace(fields)))
            case .patch(let fields):
                guard let there = library.entities[id] else { return false }
                changes.append((id, .replace(there.merged(fields))))
            case .delete: changes.append((id, .delete))
            }
        }
        let mutation = state.random.chance(700) ? pendingID : nil
        guard let event = state.libraries[edit.library]?.append(changes, mutation: mutation),
            let now = state.libraries[edit.library]
        else { return false }
        let log = now.logs.count - 1
        state.sent.performed(pendingID, at: (log, event.sequence), by: arrival)
        state.sent.posted.append(
            WireLine(
                text: now.line(event), library: edit.library, log: log, base: event.sequence - 1,
                sequence: event.sequence, isEvent: true))
        return true
    }

    /// Answers an edit that was performed, now or earlier.
    private static func answer(_ pendingID: String, _ edit: SentEdits.Edit, _ state: inout State, delay: Int64) -> Fate
    {
        var commit = OptimisticCommit(pendingID: ByteString(pendingID))
        guard let place = state.sent.edits[pendingID]?.place, let library = state.libraries[edit.library],
            place.log == library.logs.count - 1
        else {
            // Positions of an earlier log are void in this one, so the server answers with the current state.
            guard let library = state.libraries[edit.library] else { return .answered(commit, nil, delay: delay) }
            let there = edit.changes.compactMap { change in
                library.entities[change.id].map { (id: change.id, fields: $0) }
            }
            commit.confirmed = there.map { Array($0.fields.resource($0.id).utf8) }
            commit.resourceType = "file"
            commit.sequence = EventSequence(library.last)
            let given = Given(
                library: library.name, log: library.logs.count - 1, sequence: library.last, entities: there,
                askedAfter: state.leftLogCounts[library.name] ?? 0,
                deleted: edit.changes.map(\.id).filter { library.entities[$0] == nil })
            return .answered(commit, given, delay: delay)
        }
        let entities = edit.changes.compactMap { change in
            library.entities[change.id].map { (id: change.id, fields: $0) }
        }
        guard entities.count == edit.changes.count, state.random.chance(500) else {
            commit.sequence = EventSequence(place.sequence)
            return .answered(commit, nil, delay: delay)
        }
        commit.sequence = EventSequence(library.last)
        commit.confirmed = entities.map { Array($0.fields.resource($0.id).utf8) }
        commit.resourceType = "file"
        let given = Given(
            library: library.name, log: place.log, sequence: library.last, entities: entities,
            askedAfter: state.leftLogCounts[library.name] ?? 0)
        return .answered(commit, given, delay: delay)
    }
}
