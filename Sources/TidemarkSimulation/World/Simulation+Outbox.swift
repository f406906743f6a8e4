import Tidemark
import TidemarkModel
import TidemarkTesting

/// Edits that the cache sends itself. Laws: L2.
extension Simulation {
    /// Draws the request of an edit; nil if the host sends the edit itself.
    func request(_ random: inout SeededGenerator) -> MutationRequest? {
        guard traits.sends, random.chance(700) else { return nil }
        var request = MutationRequest(method: "edit", compactInput: Array("[1]".utf8))
        if random.chance(500) { request.key = ByteString(random.pick(["x", "y"])) }
        if random.chance(150) { request.attemptCountMax = 1 + random.below(4) }
        if random.chance(200) { request.onFailure = .continue }
        if random.chance(150) { request.discardsOnFailure = true }
        return request
    }

    /// Lets a process send its edits. Call it after the process was compared with the previous one.
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

    /// Marks the edits that may have settled, through an answer or through giving up.
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
        // Edits that depend on a discarded edit are discarded with it.
        for index in truth.layers.indices {
            guard let other = truth.layers[index].dependsOn, mayBeGone.contains(other) else { continue }
            mayBeGone.insert(truth.layers[index].pendingID)
            truth.layers[index].isCertain = false
        }
    }

    /// Checks that requests arrived in the order of their edits, each attempt once.
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

    /// Has the server perform what is in the outbox, and the host decide about failed edits.
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
                // Send a failed edit again, unless it was refused three times, as when its entity is gone.
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

    /// Checks that performed edits have settled, and rolls back those whose position is in a log that ended.
    private func checkNoneIsLeft() throws {
        try deliverAll()
        for layer in truth.layers where layer.request != nil {
            // Lines that were delivered for an earlier layer may have settled this one.
            guard truth.layers.contains(where: { $0.pendingID == layer.pendingID }) else { continue }
            let edit = server.with { $0.sent.edits[layer.pendingID] }
            // An answer may name a position in a log that the cache did not follow yet, or no longer followed.
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
    /// Returns the number of the input that created an edit.
    static func number(_ pendingID: String) -> Int { Int(pendingID.dropFirst()) ?? 0 }
}
