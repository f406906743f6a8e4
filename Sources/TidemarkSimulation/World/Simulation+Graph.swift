import Synchronization
import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTesting

/// A GraphQL client of the cache: responses that race with events, watched documents, and mutations across crashes.
extension Simulation {
    private static let watcherCountMax = 8

    /// Attaches the GraphQL engine to a cache, with the simulated server behind it.
    static func attachGraph(to cache: SyncCache, _ server: SimulatedServer) async {
        await cache.attach {
            GraphQLEngine(rules: GraphQLRules(), upstream: SimulatedGraph(server))
        }
    }

    /// Draws a question about some entities of a library; nil if no entity is known.
    ///
    /// - Parameter isWhole: True to select all fields that the server has of each entity.
    private func question(
        _ input: SimulationInput, _ name: String, _ random: inout SeededGenerator, isWhole: Bool = false
    ) -> GraphQLQuestion? {
        guard let known = ids[name], !known.isEmpty, let library = server.library(name) else { return nil }
        var selections: [GraphQLQuestion.Selection] = []
        for _ in 0...random.below(3) {
            let id = random.pick(known)
            guard !selections.contains(where: { $0.id == id }) else { continue }
            let there = ItemFields.names.filter { library.entities[id]?.values[$0] != nil }
            let wanted = (there.isEmpty ? ItemFields.names : there).filter { _ in isWhole || random.chance(700) }
            selections.append(GraphQLQuestion.Selection(id: id, fields: wanted))
        }
        let question = GraphQLQuestion(name: "Q\(input.number)", library: name, selections: selections)
        server.with { $0.graph.questions[question.name] = question }
        return question
    }

    private static func request(_ question: GraphQLQuestion, _ policy: FetchPolicy) -> GraphQLReadRequest {
        var request = GraphQLReadRequest(
            GraphQLRequest(
                question.document, operationName: ByteString(question.name), library: ByteString(question.library)))
        request.policy = policy
        request.allowsStale = true
        return request
    }

    // MARK: Answers

    /// Stores a response with a known log position.
    func writeDocument(_ input: SimulationInput, _ name: String, _ random: inout SeededGenerator) throws {
        guard process != nil, let question = question(input, name, &random), let library = server.library(name) else {
            return
        }
        let answer = question.answer(from: library.entities)
        var given = SimulatedServer.Given(
            library: name, log: library.logs.count - 1, sequence: library.last, entities: answer.given,
            askedAfter: truth.libraries[name]?.leftLogCount ?? 0, isWhole: false)
        guard place(&given) else { return }
        let asOf = traits.asksRacing ? nil : EventSequence(given.sequence)
        for (id, _) in given.entities { accounts[name, default: DeliveryAccount()].touch(id, given.sequence) }
        trace?("    < \(question.name) of \(name) at \(given.sequence): \(answer.text)")
        let request = Self.request(question, .cacheOnly).operation
        let outcome = try call { cache -> CacheError? in
            do throws(CacheError) {
                let parts = try Self.parts(answer.text)
                try await cache.withWing(GraphQLEngine.self) { (engine, cache) async throws(CacheError) in
                    try await engine.write(request, parts, asOf: asOf, in: cache)
                }
                return nil
            } catch {
                return error
            }
        }
        follow(
            Underway(
                name: "put", input: input.number, isDelivery: false, lays: nil, isDone: { outcome.value != nil },
                effect: { [self, given] truth, isCertain in recordAnswer(given, isCertain: isCertain, &truth) },
                finish: { [given] world, isSure in
                    if outcome.value == .some(nil) { world.recordAnswer(given, isCertain: isSure, &world.truth) }
                }))
    }

    private static func parts(_ text: String) throws(CacheError) -> ResponseParts {
        do throws(ResponseError) {
            return try ResponseParts(Array(text.utf8))
        } catch {
            throw CacheError(.invalidParams, "\(error)")
        }
    }

    /// Fetches a document while events arrive.
    func fetchDocument(_ input: SimulationInput, _ name: String, _ random: inout SeededGenerator) throws {
        guard process != nil, let question = question(input, name, &random) else { return }
        try read(Self.request(question, .networkOnly), question, input, observing: nil)
    }

    func watchDocument(_ input: SimulationInput, _ name: String, _ random: inout SeededGenerator) throws {
        guard let sink = process?.graphSink, sink.watched.count < Self.watcherCountMax,
            let question = question(input, name, &random)
        else { return }
        let policy = random.pick([FetchPolicy.cacheFirst, .cacheFirst, .cacheOnly, .cacheAndNetwork, .networkOnly])
        try read(Self.request(question, policy), question, input, observing: sink)
    }

    private func read(
        _ request: GraphQLReadRequest, _ question: GraphQLQuestion, _ input: SimulationInput,
        observing sink: GraphQLSink?
    ) throws {
        let reply = Outcome<Bool>()
        _ = try call { cache in
            await cache.withWing(GraphQLEngine.self) { engine, cache in
                await engine.read(request, observing: sink, in: cache) { result in
                    if case .success(let answered) = result, let id = answered.subscription {
                        sink?.begin(id, question, answered.result.data)
                    }
                    reply.set(true)
                }
            }
        }
        follow(
            Underway(
                name: "fetch", input: input.number, isDelivery: false, lays: nil, isDone: { reply.value != nil },
                effect: { _, _ in }, finish: { _, _ in }))
    }

    // MARK: Mutations

    /// Shows a mutation, has it performed, and follows its outcome.
    func mutateDocument(_ input: SimulationInput, _ name: String, _ random: inout SeededGenerator) throws {
        guard process != nil, !executor.isLaneStalled, let known = ids[name] else { return }
        let id = random.pick(known)
        let fields = ItemFields(["n": "\(random.below(4))", "v": "\(input.number)"])
        let key = EntityKey(library: ByteString(name), type: "file", id: ByteString(id))
        let there = try call { cache -> Bool? in
            do throws(CacheError) { return try await cache.read(EntityRequest(key)).entity != nil } catch { return nil }
        }
        // Patch an entity that is visible; put any other.
        guard case .some(.some(let isThere)) = there.value else { return }
        let pendingID = "p\(input.number)"
        let edit = GraphQLEdit(library: name, id: id, operation: isThere ? .patch(fields) : .put(fields))
        server.with { $0.graph.edits[pendingID] = edit }
        truth.layers.append(
            LayerTruth(
                pendingID: pendingID, library: name, changes: [(id, edit.operation)], dependsOn: nil, request: nil,
                isCertain: false, isHandled: true))
        trace?("    \(pendingID) mutates \(id) of \(name): \(edit.operation)")
        let question = GraphQLQuestion(
            name: pendingID, library: name, selections: [.init(id: id, fields: edit.names)])
        let hoped = question.answer(from: [id: fields]).text
            .split(separator: "\"f0\"", omittingEmptySubsequences: false).joined(separator: "\"edit\"")
        let request = GraphQLRequest(
            edit.document(pendingID), operationName: ByteString(pendingID), library: ByteString(name))
        let outcome = try call { cache -> CacheError? in
            do throws(CacheError) {
                let mutation = GraphQLMutation(
                    request, pendingID: ByteString(pendingID), optimistic: try Self.parts(hoped))
                try await cache.withWing(GraphQLEngine.self) { (engine, cache) async throws(CacheError) in
                    let hasLayer = try await engine.begin(mutation, in: cache)
                    _ = try await engine.finish(mutation, hasLayer: hasLayer, in: cache)
                }
                return nil
            } catch {
                return error
            }
        }
        let before = snapshots.last?.input ?? -1
        follow(
            Underway(
                name: "update", input: input.number, isDelivery: false, lays: pendingID,
                isDone: { [server] in
                    outcome.value != nil || server.with { $0.graph.edits[pendingID]?.hasArrived == true }
                },
                effect: { _, _ in },
                finish: { world, _ in
                    guard let place = world.truth.layers.firstIndex(where: { $0.pendingID == pendingID }) else {
                        return
                    }
                    guard world.server.with({ $0.graph.edits[pendingID]?.hasArrived == true }) else {
                        return world.neverSent(pendingID, outcome.value ?? nil)
                    }
                    // The request is sent only after the layer is on disk.
                    world.truth.layers[place].isCertain = true
                    world.acknowledge(max(before, input.number))
                    world.followMutation(pendingID, input.number, outcome)
                }))
    }

    /// Forgets a layer whose request was never sent.
    private func neverSent(_ pendingID: String, _ error: CacheError?) {
        truth.layers.removeAll { $0.pendingID == pendingID }
        guard let error, error.code != .storageFailed || !(diskMayFail || isClosing), !isClosing else { return }
        noted = noted ?? SimulationFailure("mutation \(pendingID) was never sent: \(error) (L2)")
    }

    private func followMutation(_ pendingID: String, _ input: Int, _ outcome: Outcome<CacheError?>) {
        underway.append(
            Underway(
                name: "mutate", input: input, isDelivery: false, lays: nil, isDone: { outcome.value != nil },
                effect: { [self] truth, _ in loosen(pendingID, &truth) },
                finish: { world, _ in
                    world.loosen(pendingID, &world.truth)
                    guard let place = world.truth.layers.firstIndex(where: { $0.pendingID == pendingID }) else {
                        return
                    }
                    switch world.server.with({ $0.graph.edits[pendingID]?.fate }) {
                    case .answered, .refused:
                        // After an error of the disk it is unknown whether the layer is gone.
                        if outcome.value == .some(nil) { world.truth.layers.remove(at: place) }
                    default:
                        // The outcome is unknown: the layer stays, and the host may settle it.
                        world.truth.layers[place].isHandled = false
                    }
                }))
    }

    /// Applies the possible effects of a mutation's end: its response is stored in the step that removes its layer.
    private func loosen(_ pendingID: String, _ truth: inout WorldTruth) {
        switch server.with({ $0.graph.edits[pendingID]?.fate }) {
        case .answered(let given): for given in given { recordAnswer(given, isCertain: false, &truth) }
        case .refused: break
        default: return
        }
        // The refusal of a mutation discards the edits that depend on it.
        var loosened: Set = [pendingID]
        for place in truth.layers.indices {
            let layer = truth.layers[place]
            guard layer.pendingID == pendingID || layer.dependsOn.map(loosened.contains) == true else { continue }
            loosened.insert(layer.pendingID)
            truth.layers[place].isCertain = false
        }
    }

    // MARK: Checking

    /// Compares watched documents with reads, and reads with the entities.
    func checkDocuments(_ seen: Seen) throws {
        guard let sink = process?.graphSink, !executor.isLaneStalled else { return }
        if let problem = sink.problem { throw problem }
        for (id, watched) in sink.watched.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            let request = Self.request(watched.question, .cacheOnly)
            let reply = Outcome<[UInt8]?>()
            _ = try call { cache in
                await cache.withWing(GraphQLEngine.self) { engine, cache in
                    await engine.read(request, in: cache) { result in
                        if case .success(let answered) = result { reply.set(answered.result.data) }
                    }
                }
            }
            guard case .some(.some(let data)) = reply.value else { continue }
            let read = try GraphQLData(try ReferenceJSONParser.parse(data))
            digest.mix("\(watched.question.name) \(data)")
            guard read == watched.data else {
                throw SimulationFailure(
                    "watcher \(id.rawValue) of \(watched.question.name) has \(watched.data), a read gives \(read) (L6)")
            }
            try check(read, of: watched.question, seen)
        }
    }

    private func check(_ read: GraphQLData, of question: GraphQLQuestion, _ seen: Seen) throws {
        for (place, selection) in question.selections.enumerated() {
            guard case .some(.some(let fields)) = read.entities["f\(place)"],
                let shown = seen.entities[question.library]?[selection.id]
            else { continue }
            let wanted = selection.fields.map { shown.fields?.values[$0] }
            guard shown.fields != nil, selection.fields.map({ fields[$0] }) == wanted else {
                throw SimulationFailure(
                    "\(question.name) shows \(selection.id) as \(fields), and the entity is \(shown) (L1)")
            }
        }
    }
}

extension GraphQLEdit {
    fileprivate var hasArrived: Bool {
        if case .unsent = fate { false } else { true }
    }
}
