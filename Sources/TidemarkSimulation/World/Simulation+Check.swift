import Tidemark
import TidemarkModel
import TidemarkTesting

extension Simulation {
    /// Compares what the cache shows with what it must show.
    ///
    /// - Parameter isThorough: True to read entities from disk and to compare lists and documents too.
    func check(isThorough: Bool) throws {
        guard process != nil else { return }
        if isThorough {
            try followViews()
            try followScopes()
        }
        let seen = try look(isThorough: isThorough)
        traceAnswers()
        trace?(describe(seen))
        for name in Self.libraryNames {
            let places = truth.libraries[name]?.beginnings.map { "\($0.log)@\($0.base)" } ?? []
            trace?("    heard of \(name): \(places.joined(separator: " "))")
        }
        let given = takeAnswers()
        // An answer in the meantime may have arrived before the cursor moved or after.
        mayHave(given)
        truthOnTheWay = given.isEmpty ? nil : truth
        try checkLibraries(seen)
        mayHave(given)
        for call in finished where call.isWrite { call.effect(&truth, false) }
        finished = []
        for name in Self.libraryNames { truth.libraries[name]?.endLook() }
        followQuestions()
        let mayLay = Set(underway.compactMap(\.lays))
        truth.settleLayers()
        loosenSent(&truth)
        let unsettled = truth
        if let problem = truth.follow(pending: seen.pending, mayComeLater: mayLay) { throw SimulationFailure(problem) }
        let left = Set(truth.layers.map(\.pendingID))
        // Covers an edit that was made and settled since the last check, because a disk may have only the edit.
        truthBeforeAnswers =
            unsettled.layers.contains { $0.request != nil && !left.contains($0.pendingID) } ? unsettled : nil
        try checkSent(seen)
        try checkEntities(seen)
        try checkLists(seen)
        try checkObservers(seen)
        try checkViews(seen)
        if isThorough { try checkDocuments(seen) }
        try checkFreshness(seen)
        try checkQuestions(seen)
        try checkCounts(seen)
    }

    private func describe(_ seen: Seen) -> String {
        let places = seen.statuses.sorted { $0.key < $1.key }.map { name, status in
            let lost = status.lost.map { "\($0.first)-\($0.last)" }.joined(separator: ",")
            return "\(name) \(status.epoch)@\(status.cursor.map { "\($0)" } ?? "-") \(status.phase) lost [\(lost)]"
        }
        return "    \(places) held \(seen.heldCount) layers \(seen.pending) underway \(underway.map(\.name)) "
            + "stalled \(executor.isLaneStalled) now \(clock.now() - 1_700_000_000_000)"
    }

    /// Returns the upstreams' answers since the last check, and records the events that they denied or delivered.
    func takeAnswers() -> [SimulatedServer.Given] {
        let isSettled = isSettled
        return server.with { state in
            for denied in state.denied { truth.libraries[denied.library]?.deny(denied.sequence) }
            state.denied = []
            for brought in state.brought {
                accounts[brought.library, default: DeliveryAccount()].give(brought.sequence, log: brought.log)
            }
            state.brought = []
            defer { if isSettled { state.given = [] } }
            return state.given
        }
    }

    func mayHave(_ given: [SimulatedServer.Given]) {
        for given in given { recordAnswer(given, isCertain: false, &truth) }
        for call in underway { call.effect(&truth, false) }
    }

    /// True if nothing that the cache received is still waiting.
    var isSettled: Bool {
        underway.isEmpty && !executor.isLaneStalled && server.with { $0.questionCount == 0 }
    }

    /// Records an answer that was stored, or may have been.
    func recordAnswer(_ given: SimulatedServer.Given, isCertain: Bool, _ truth: inout WorldTruth) {
        for (id, fields) in given.entities {
            accounts[given.library, default: DeliveryAccount()].touch(id, given.sequence)
            truth.libraries[given.library]?.answer(
                id, fields, log: given.log, sequence: given.sequence, askedAfter: given.askedAfter,
                isWhole: given.isWhole, hasPlace: given.hasPlace, keepsPlace: given.keepsPlaces,
                isMutation: given.isMutation,
                question: given.question, isCertain: isCertain)
        }
        for id in given.deleted { truth.libraries[given.library]?.remove(id, isCertain: false) }
    }

    private func checkLibraries(_ seen: Seen) throws {
        for name in Self.libraryNames {
            guard let library = server.library(name), var known = truth.libraries[name] else { continue }
            let status = seen.statuses[name]
            let isDelivered = !underway.contains(where: \.isDelivery) && !executor.isLaneStalled
            if let problem = known.follow(status, library, isSettled: isDelivered) {
                throw SimulationFailure("\(name): \(problem)")
            }
            if let before = truth.libraries[name], before.log == known.log, !known.hasLeft, !mayLack,
                let problem = accounts[name]?.problem(from: before, to: known, library.logs[known.log])
            {
                throw SimulationFailure("\(name): \(problem)")
            }
            truth.libraries[name] = known
            server.with { state in
                state.leftLogCounts[name] = known.leftLogCount
                state.places[name] = known.cursor.map { (known.log, $0) }
            }
            digest.mix(
                "\(name) \(status?.epoch ?? "") \(status?.cursor?.rawValue ?? -1) \(status?.phase.rawValue ?? "")")
            for range in status?.lost ?? [] {
                let events = library.logs[known.log].events(
                    after: range.first.rawValue - 1, through: range.last.rawValue)
                let isExcused =
                    !traits.hasUpstream || server.with { $0.hasFailed } || events.contains(where: \.isPoison)
                    || events.isEmpty || known.hasLies
                guard isExcused else {
                    throw SimulationFailure(
                        "\(name): \(range.first) to \(range.last) are lost, and the upstream never failed (L4)")
                }
            }
        }
    }

    private func checkEntities(_ seen: Seen) throws {
        for name in Self.libraryNames {
            for id in ids[name] ?? [] {
                guard let shown = seen.entities[name]?[id] else { continue }
                let fields = shown.fields
                if lastShown[name]?[id] != shown {
                    lastShown[name, default: [:]][id] = shown
                    digest.mix("\(id) \(shown)")
                }
                let hasLayers = truth.layers.contains {
                    $0.library == name && seen.pending.contains($0.pendingID) && $0.changes.contains { $0.id == id }
                }
                if !hasLayers, truth.libraries[name]?.candidates(id).count == 1,
                    truth.libraries[name]?.candidates(id).first?.fields == fields
                {
                    continue
                }
                let (truth, pending) = (truth, seen.pending)
                let isRight =
                    self.truth.libraries[name]?.narrow(
                        id, base: hasLayers ? nil : .some(fields),
                        isShown: { truth.visible($0, id: id, library: name, pending: pending) == fields }) ?? false
                if isRight { continue }
                if fields == nil, mayLack {
                    self.truth.libraries[name]?.believe(id, [Candidate(fields: nil)])
                    continue
                }
                if let library = server.library(name), let log = truth.libraries[name]?.log {
                    for event in library.logs[log].events {
                        for change in event.changes where change.id == id { trace?("    \(event.sequence) \(change)") }
                    }
                }
                for layer in truth.layers { trace?("    layer \(layer)") }
                let wanted = truth.libraries[name]?.candidates(id).map { candidate in
                    truth.visible(candidate.fields, id: id, library: name, pending: pending)?.description ?? "nothing"
                }
                throw SimulationFailure(
                    "\(name) \(id) shows \(shown) instead of "
                        + "\((wanted ?? []).sorted().joined(separator: " or ")), layers \(pending) (L1, L2)")
            }
        }
    }

    private func checkLists(_ seen: Seen) throws {
        for (name, query, list) in seen.lists {
            guard case .success(let answer) = list else { continue }
            var listed: [String] = []
            for (key, resource) in zip(answer.keys, answer.entities) {
                let id = key.id.description
                listed.append(id)
                let fields = try fields(resource, id)
                guard let shown = seen.entities[name]?[id], shown.fields != fields else { continue }
                throw SimulationFailure("\(name) \(query) shows \(id) as \(fields), a read shows \(shown) (L10)")
            }
            digest.mix("\(query) \(listed)")
            guard Set(listed).count == listed.count else {
                throw SimulationFailure("\(name) \(query) lists \(listed), one of them twice (L10)")
            }
            let entities = seen.entities[name] ?? [:]
            guard query == .local, traits.entityCountMax == nil, entities.count == ids[name]?.count else { continue }
            let there = entities.compactMapValues(\.fields)
            let wanted = try query.ids(of: there)
            guard listed == wanted else {
                throw SimulationFailure("\(name) \(query) lists \(listed) instead of \(wanted) (L10)")
            }
        }
    }

    /// Checks that lists become stale only through changes that concern them.
    private func checkFreshness(_ seen: Seen) throws {
        for name in fresh {
            let status = seen.statuses[name]
            let lost = status?.lost ?? []
            let before = lostWhenFresh.updateValue(lost, forKey: name)
            if status?.phase == .stale || before ?? lost != lost { fresh.remove(name) }
        }
        for (name, query, list) in seen.lists where query == .all && fresh.contains(name) {
            guard case .success(let answer) = list, answer.isStale else { continue }
            throw SimulationFailure("\(name) \(query) is stale, and none of its entities was marked as stale (L10)")
        }
    }

    private func checkObservers(_ seen: Seen) throws {
        guard let process else { return }
        if let problem = (process.sink.problems + process.slowSink.problems).first {
            throw SimulationFailure("an observer: \(problem) (L6)")
        }
        for (name, query, id) in subscriptions {
            guard let observed = seen.observed[id] else { continue }
            let list = seen.lists.first { $0.library == name && $0.query == query }?.list
            guard case .success(let answer)? = list, answer.entities != observed else { continue }
            throw SimulationFailure(
                "an observer of \(name) \(query) has \(observed.map { String(decoding: $0, as: UTF8.self) }), "
                    + "a read gives \(answer.entities.map { String(decoding: $0, as: UTF8.self) }) (L6)")
        }
    }

    private func checkCounts(_ seen: Seen) throws {
        guard let process else { return }
        guard seen.counts.isConserved(stillHeld: Int64(seen.heldCount)) else {
            throw SimulationFailure("lines are not conserved: \(seen.counts), \(seen.heldCount) held (L7)")
        }
        guard !underway.contains(where: \.isDelivery) else { return }
        let counted = (seen.counts - process.countsAtStart).lines
        guard counted == process.lineCount else {
            throw SimulationFailure("\(process.lineCount) lines came, \(counted) were counted (L7)")
        }
    }
}
