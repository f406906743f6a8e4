import Tidemark
import TidemarkModel

/// Questions whose answers arrive after events, edits, invalidations and clears that they do not include (law L12).
extension Simulation {
    /// Lets the server read the cache's log position whenever a question arrives.
    func followPlaces(of cache: SyncCache) {
        server.with { state in
            state.place = { [weak cache] library in
                let status = await cache?.libraries().first { $0.library == ByteString(library) }
                guard let status, let cursor = status.cursor else { return nil }
                return (status.epoch.description, cursor.rawValue)
            }
        }
    }

    /// Numbers an unsolicited answer and, if answers race, gives it the position that it counts for: the cache's own.
    ///
    /// - Returns: False if that position is unknown.
    func place(_ given: inout SimulatedServer.Given) -> Bool {
        given.question = server.with { $0.questions.ask(given.library) }
        guard traits.asksRacing else { return true }
        guard let known = truth.libraries[given.library], let cursor = known.cursor, !executor.isLaneStalled,
            !underway.contains(where: \.isDelivery)
        else { return false }
        (given.log, given.sequence, given.hasPlace) = (known.log, cursor, false)
        return true
    }

    /// Clears a library while questions are on their way.
    func clear(_ name: String) throws {
        guard process != nil, !executor.isLaneStalled, !underway.contains(where: { $0.isWrite || $0.isDelivery }) else {
            return
        }
        let count = server.with { $0.questions.count }
        trace?("    \(name), after question \(count)")
        let outcome = try call { cache -> CacheError? in
            do throws(CacheError) {
                try await cache.clear(library: ByteString(name))
                return nil
            } catch {
                return error
            }
        }
        guard outcome.value == .some(nil) else { throw SimulationFailure("\(name) cannot be cleared") }
        fresh.remove(name)
        forget(name, truth)
        truth.libraries[name]?.clear(after: count)
        questions.cleared(name, after: count)
    }

    /// Updates the account of questions with the events, lists and mutations since the last check.
    func followQuestions() {
        guard traits.asksRacing else { return }
        for name in Self.libraryNames {
            guard let known = truth.libraries[name], let library = server.library(name) else { continue }
            questions.follow(name, known, library.logs[known.log])
        }
        for list in server.with({ state in
            defer { state.questions.listed = [] }
            return state.questions.listed
        }) { questions.listed(list) }
        // A failing disk prevents answers from being stored.
        if diskMayFail { questions.forgetLists() }
        let mutations = server.with { $0.questions.takeMutated() }
        for (library, id) in mutations { questions.rewrote(library, id) }
    }

    func checkQuestions(_ seen: Seen) throws {
        guard traits.asksRacing else { return }
        for name in Self.libraryNames {
            for (id, shown) in seen.entities[name] ?? [:] {
                let isCovered = truth.layers.contains {
                    $0.library == name && $0.changes.contains { $0.id == id }
                }
                if isCovered { continue }
                // The cache takes a position in a log that it never followed for one in the log that it follows.
                let known = truth.libraries[name]
                if known?.isMisplaced(id) == true || known?.blurred.contains(id) == true {
                    questions.rewrote(name, id)
                    continue
                }
                if let problem = questions.problem(name, id, shows: shown.fields) { throw SimulationFailure(problem) }
            }
        }
        // A stalled disk prevents answers from being stored.
        if !executor.isLaneStalled {
            for (name, query, list) in seen.lists {
                guard case .success(let answer) = list else { continue }
                let ids = answer.keys.map(\.id.description)
                if let problem = questions.problem(name, query, lists: ids, isStale: answer.isStale) {
                    throw SimulationFailure(problem)
                }
            }
        }
        questions.endCheck(questionCount: server.with { $0.questions.count })
    }
}
