import Tidemark
import TidemarkModel
import TidemarkTesting

/// Optimistic edits of a host.
extension Simulation {
    func update(_ input: SimulationInput, _ name: String, _ random: inout SeededGenerator) throws {
        guard process != nil else { return }
        var changes: [(id: String, operation: LayerOperation)] = []
        for _ in 0...random.below(2) {
            guard let id = ids[name].map({ random.pick($0) }), !changes.contains(where: { $0.id == id }) else {
                continue
            }
            switch random.weighted([3, 3, changes.isEmpty ? 1 : 0]) {
            case 0:
                changes.append(
                    (id, .put(ItemFields(["n": "\(random.below(4))", "t": #""x""#, "v": "\(input.number)"]))))
            case 1: changes.append((id, .patch(ItemFields(["n": "\(random.below(4))"]))))
            default: changes.append((id, .delete))
            }
            if changes.contains(where: { $0.operation == .delete }) { break }
        }
        guard !changes.isEmpty else { return }
        let pendingID = "p\(input.number)"
        let others = truth.layers.filter { $0.isCertain && $0.library == name }.map(\.pendingID)
        let dependsOn = others.isEmpty || random.chance(700) ? nil : random.pick(others)
        let request = request(&random)
        truth.layers.append(
            LayerTruth(
                pendingID: pendingID, library: name, changes: changes, dependsOn: dependsOn, request: request,
                isCertain: false))
        trace?(
            "    \(pendingID) in \(name): \(changes.map { "\($0.id) \($0.operation)" }), on \(dependsOn ?? "nothing")"
                + (request.map { ", sent in \($0.key?.description ?? "the library's queue")" } ?? ""))
        let operations = changes.map { Self.operation($0.id, $0.operation) }
        if let request {
            let edit = SentEdits.Edit(
                library: name, key: request.key?.description, changes: changes, operations: operations)
            server.with { $0.sent.know(pendingID, edit) }
        }
        let outcome = try call { cache -> CacheError? in
            do throws(CacheError) {
                try await cache.update(
                    OptimisticUpdate(
                        pendingID: ByteString(pendingID), library: ByteString(name), operations: operations,
                        dependsOn: dependsOn.map { [ByteString($0)] } ?? [], send: request))
                return nil
            } catch {
                return error
            }
        }
        let before = snapshots.last?.input ?? -1
        follow(
            Underway(
                name: "update", input: input.number, isDelivery: false, lays: pendingID,
                isDone: { outcome.value != nil }, effect: { _, _ in },
                finish: { world, _ in
                    guard let place = world.truth.layers.firstIndex(where: { $0.pendingID == pendingID }) else {
                        return
                    }
                    // While this edit waited, the edit that it depends on may have settled.
                    let hasWaited = world.current?.number != input.number
                    let isOrphan = dependsOn.map { other in
                        !world.truth.layers.contains {
                            $0.pendingID == other && $0.isCertain
                                && !(hasWaited && ($0.isHandled || $0.request != nil))
                        }
                    }
                    guard let error = outcome.value ?? nil else {
                        // The refusal of a mutation discards the edits that depend on it, even if the disk confirmed
                        // them.
                        world.truth.layers[place].isCertain = !(hasWaited && isOrphan == true)
                        if world.current?.number == input.number {
                            world.server.with { $0.sent.notePrompt(pendingID) }
                        }
                        world.acknowledge(max(before, input.number))
                        return
                    }
                    let isExcused =
                        switch error.code {
                        case .storageFailed: world.diskMayFail || world.isClosing
                        case .unknownPending: isOrphan == true
                        default: false
                        }
                    if !isExcused {
                        world.noted = world.noted ?? SimulationFailure("layer \(pendingID) was refused: \(error) (L2)")
                    }
                    world.truth.layers.remove(at: place)
                }))
    }

    private static func operation(_ id: String, _ operation: LayerOperation) -> TransactionOperation {
        switch operation {
        case .put(let fields): .put(type: "file", resource: Array(fields.resource(id).utf8))
        case .patch(let fields):
            .patch(type: "file", id: ByteString(id), fields: Array(fields.members.utf8), unset: [])
        case .delete: .delete(type: "file", id: ByteString(id))
        }
    }

    /// Has the server perform or refuse an edit; the answer may get lost.
    func answerUpdate(_ input: SimulationInput, _ random: inout SeededGenerator) throws {
        let open = truth.layers.filter { $0.isCertain && !$0.isHandled && $0.request == nil }
        guard process != nil, !open.isEmpty else { return }
        try answer(random.pick(open), input.number, &random, isSure: false)
    }

    /// Adds a write number if the server numbers its writes.
    private func stamped(_ fields: ItemFields) -> ItemFields {
        traits.asksRacing ? fields.merged(ItemFields(["v": "\(nextStamp())"])) : fields
    }

    /// Has the server answer an edit.
    ///
    /// - Parameter isSure: True if the answer must reach the host.
    func answer(_ layer: LayerTruth, _ input: Int, _ random: inout SeededGenerator, isSure: Bool) throws {
        let name = layer.library
        if let place = truth.layers.firstIndex(where: { $0.pendingID == layer.pendingID }) {
            truth.layers[place].isHandled = true
        }
        guard random.chance(700), let library = server.library(name) else {
            return try rollBack(layer.pendingID, input)
        }
        var changes: [(id: String, change: ServerChange)] = []
        for (id, operation) in layer.changes {
            switch operation {
            case .put(let fields): changes.append((id, .replace(stamped(fields))))
            case .patch(let fields):
                // The server no longer has the entity that the patch changes.
                guard let there = library.entities[id] else { return try rollBack(layer.pendingID, input) }
                changes.append((id, .replace(stamped(there.merged(fields)))))
            case .delete: changes.append((id, .delete))
            }
        }
        let names = random.chance(700)
        let before = library.last
        append(changes, name, &random, mutation: names ? layer.pendingID : nil)
        guard let now = server.library(name), now.last > before else { return }
        if names, !isSure, random.chance(300) { return }
        var commit = OptimisticCommit(pendingID: ByteString(layer.pendingID), sequence: EventSequence(now.last))
        let given = changes.compactMap { change in now.entities[change.id].map { (id: change.id, fields: $0) } }
        let confirms = given.count == changes.count && random.chance(600)
        if confirms {
            commit.confirmed = given.map { Array($0.fields.resource($0.id).utf8) }
            commit.resourceType = "file"
        }
        var confirmed: SimulatedServer.Given?
        if confirms {
            var given = SimulatedServer.Given(
                library: name, log: now.logs.count - 1, sequence: now.last, entities: given,
                askedAfter: truth.libraries[name]?.leftLogCount ?? 0)
            // A confirmation without a position counts from now on.
            if traits.asksRacing, random.chance(700), place(&given) {
                commit.sequence = nil
                given.keepsPlaces = true
            } else {
                given.question = server.with { $0.questions.ask(name) }
            }
            confirmed = given
        }
        try self.commit(
            commit, layer.pendingID, input, confirmed, waitsFor: confirms ? nil : (now.logs.count - 1, now.last))
    }

    private func commit(
        _ commit: OptimisticCommit, _ pendingID: String, _ input: Int, _ given: SimulatedServer.Given?,
        waitsFor place: (log: Int, sequence: Int64)?
    ) throws {
        if let given {
            for (id, _) in given.entities {
                accounts[given.library, default: DeliveryAccount()].touch(id, given.sequence)
            }
        }
        trace?(
            "    commit \(pendingID), confirmed \(given.map { "\($0)" } ?? "nothing"), in place \(place?.sequence ?? -1)"
        )
        let outcome = try call { cache -> CacheError? in
            do throws(CacheError) {
                try await cache.commit(commit)
                return nil
            } catch {
                return error
            }
        }
        follow(
            Underway(
                name: "commit", input: input, isDelivery: false, lays: nil, isDone: { outcome.value != nil },
                effect: { [self] truth, isCertain in
                    if let given { recordAnswer(given, isCertain: isCertain, &truth) }
                    guard let index = truth.layers.firstIndex(where: { $0.pendingID == pendingID }) else { return }
                    truth.layers[index].isCertain = false
                },
                finish: { world, isSure in
                    let index = world.truth.layers.firstIndex { $0.pendingID == pendingID }
                    if let error = outcome.value ?? nil, error.code == .unknownPending {
                        if let index, world.truth.layers[index].isCertain,
                            world.truth.libraries[
                                world.truth.layers[index].library]?.doubtfulMutations.isEmpty != false
                        {
                            world.truth.layers[index].isCertain = false
                        }
                        return
                    }
                    if let given { for (id, _) in given.entities { world.questions.rewrote(given.library, id) } }
                    // Even if the disk failed, the commit has taken effect in memory.
                    let isCertain = outcome.value == .some(nil)
                    if let given {
                        world.recordAnswer(given, isCertain: isCertain && isSure, &world.truth)
                        if let index {
                            if isCertain {
                                world.truth.layers.remove(at: index)
                            } else {
                                world.truth.layers[index].isCertain = false
                            }
                        }
                    } else if let place, let index {
                        let library = world.truth.layers[index].library
                        if isCertain, world.truth.libraries[library]?.log == place.log {
                            world.truth.layers[index].awaited = place.sequence
                        } else {
                            world.truth.layers[index].isCertain = false
                        }
                    }
                }))
    }

    func rollBack(_ input: SimulationInput, _ random: inout SeededGenerator) throws {
        let open = truth.layers.filter(\.isCertain)
        guard process != nil, !open.isEmpty else { return }
        try rollBack(random.pick(open).pendingID, input.number)
    }

    func rollBack(_ pendingID: String, _ input: Int) throws {
        // Layers that depend on this one are rolled back with it.
        trace?("    roll back \(pendingID)")
        var gone: Set = [pendingID]
        for layer in truth.layers {
            if let other = layer.dependsOn, gone.contains(other) { gone.insert(layer.pendingID) }
        }
        let outcome = try call { cache -> CacheError? in
            do throws(CacheError) {
                try await cache.rollBack(ByteString(pendingID))
                return nil
            } catch {
                return error
            }
        }
        let unsure = { (truth: inout WorldTruth) in
            for index in truth.layers.indices where gone.contains(truth.layers[index].pendingID) {
                truth.layers[index].isCertain = false
            }
        }
        follow(
            Underway(
                name: "rollBack", input: input, isDelivery: false, lays: nil, isDone: { outcome.value != nil },
                effect: { truth, _ in unsure(&truth) },
                finish: { world, _ in
                    if outcome.value == .some(nil) {
                        let dependents = gone
                        world.truth.layers.removeAll { $0.pendingID == pendingID }
                        for index in world.truth.layers.indices
                        where dependents.contains(world.truth.layers[index].pendingID) {
                            world.truth.layers[index].isCertain = false
                        }
                    } else {
                        unsure(&world.truth)
                    }
                }))
    }
}
