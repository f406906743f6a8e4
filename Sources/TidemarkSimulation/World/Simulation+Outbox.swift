import Tidemark
import TidemarkModel
import TidemarkTesting

/// Edits that the cache sends by itself. Laws: L2.
extension Simulation {
    /// Draws the request of an edit; nil when the host sends the edit itself.
    func request(_ random: inout SeededGenerator) -> MutationRequest? {
        guard traits.sends, random.chance(700) else { return nil }
        var request = MutationRequest(method: "edit", compactInput: Array("[1]".utf8))
        if random.chance(500) { request.key = ByteString(random.pick(["x", "y"])) }
        if random.chance(150) { request.attemptCountMax = 1 + random.below(4) }
        if random.chance(200) { request.onFailure = .continue }
        if random.chance(150) { request.discardsOnFailure = true }
        return request
    }

    /// Lets a process send its edits: after its state was compared with that of the process before.
    func startOutbox() throws {
        guard traits.sends else { return }
        let server = server
        _ = try call { await $0.startOutbox(server, timeout: 30_000) }
    }

    /// Puts the lines of performed edits on the wire.
    func collectPosted() {
        let posted = server.with { state in
            defer { state.sent.posted = [] }
            return state.sent.posted
        }
        for line in posted {
            trace?("    + \(line.text)")
            wire[line.library, default: []].append(line)
        }
    }

    /// Marks the edits that an answer, or the lack of one, may have settled.
    func loosenSent(_ truth: inout WorldTruth) {
        let edits = server.with { $0.sent.edits }
        var mayBeGone: Set<String> = []
        for index in truth.layers.indices {
            let layer = truth.layers[index]
            guard let request = layer.request, let edit = edits[layer.pendingID] else { continue }
            let mayBeDiscarded = request.discardsOnFailure && (edit.refusalCount > 0 || request.attemptCountMax != nil)
            if mayBeDiscarded, edit.attempt > 0 { mayBeGone.insert(layer.pendingID) }
            let library = truth.libraries[layer.library]
            let hasLeft = library.map { $0.leftLogCount > edit.leftLogCount } ?? false
            let isReached = edit.place.map { place in
                hasLeft || library?.log != place.log || (library?.cursor).map { $0 >= place.sequence } == true
            }
            let isSettled = edit.isConfirmed || edit.isAnswered && isReached != false
            if isSettled || mayBeGone.contains(layer.pendingID) { truth.layers[index].isCertain = false }
        }
        // What depends on a discarded edit is discarded with it.
        for index in truth.layers.indices {
            guard let other = truth.layers[index].dependsOn, mayBeGone.contains(other) else { continue }
            mayBeGone.insert(truth.layers[index].pendingID)
            truth.layers[index].isCertain = false
        }
    }

    /// Checks that requests came in the order of their edits, each attempt once.
    func checkSent(_ seen: Seen) throws {
        let (sent, arrivals) = server.with { state in
            defer { state.sent.arrivals = [] }
            return (state.sent, state.sent.arrivals)
        }
        if let problem = sent.problem { throw SimulationFailure(problem) }
        for arrival in arrivals {
            guard let edit = sent.edits[arrival.pendingID], edit.isPrompt else { continue }
            digest.mix("\(arrival.pendingID) \(edit.attempt)")
            for layer in truth.layers where layer.isCertain && seen.pending.contains(layer.pendingID) {
                guard let older = sent.edits[layer.pendingID], older.isPrompt, older.library == edit.library,
                    older.key == edit.key, layer.number < SentEdits.number(arrival.pendingID),
                    older.performedBy.map({ $0 > arrival.number }) ?? true
                else { continue }
                let isPassed = older.refusalCount > 0 || layer.request?.attemptCountMax != nil
                guard isPassed, layer.request?.onFailure == .continue else {
                    throw SimulationFailure("\(arrival.pendingID) was sent before \(layer.pendingID) (L2)")
                }
            }
        }
    }

    /// Lets the server perform what is in the outbox, and the host decide about what has failed.
    func drainOutbox() throws {
        server.with { $0.sent.hasFaults = false }
        for _ in 0..<200 {
            guard let statuses = try call({ await $0.outboxStatuses() }).value else {
                throw SimulationFailure("asking for the outbox never ends")
            }
            if statuses.isEmpty { return try checkNoneIsLeft() }
            for status in statuses where status.state == .failed {
                let pendingID = status.pendingID
                let refusals = server.with { $0.sent.edits[pendingID.description]?.refusalCount ?? 0 }
                guard refusals < 3 else {
                    try rollBack(pendingID.description, .max)
                    continue
                }
                // An edit that was only unlucky is sent again; one whose entity is gone is refused until it is given
                // up.
                _ = try call { cache -> Bool in
                    do throws(CacheError) {
                        try await cache.retry(pendingID)
                        return true
                    } catch {
                        return false
                    }
                }
            }
            try wait(milliseconds: 60_000)
            try deliverAll()
        }
        throw SimulationFailure("the outbox never becomes empty (L2)")
    }

    /// Checks that performed edits have settled; those whose place is in a log that ended are rolled back.
    private func checkNoneIsLeft() throws {
        try deliverAll()
        for layer in truth.layers where layer.request != nil {
            // The lines that were delivered for an earlier layer may have settled this one.
            guard truth.layers.contains(where: { $0.pendingID == layer.pendingID }) else { continue }
            let edit = server.with { $0.sent.edits[layer.pendingID] }
            // An answer may name a place in a log that the cache did not follow yet, or no longer followed.
            let hasOneLog = server.library(layer.library)?.logs.count == 1
            if hasOneLog, let place = edit?.place, let cursor = truth.libraries[layer.library]?.cursor,
                cursor >= place.sequence
            {
                throw SimulationFailure("\(layer.pendingID) was performed and is still there (L2)")
            }
            try rollBack(layer.pendingID, .max)
            try deliverAll()
        }
    }
}

extension SentEdits {
    /// Returns the number of the input that made an edit.
    static func number(_ pendingID: String) -> Int { Int(pendingID.dropFirst()) ?? 0 }
}
