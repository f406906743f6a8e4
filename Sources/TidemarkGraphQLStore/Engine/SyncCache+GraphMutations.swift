import Logging
import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// Mutations that are sent once while their caller waits.
///
/// - Source: Protocol/graphql.md, mutations.
extension SyncCache {
    /// Shows a mutation before a server has performed it. This is the first half of a mutation;
    /// ``finishGraph(_:hasLayer:)`` is the second.
    ///
    /// - Returns: True if there is a layer, for which ``finishGraph(_:hasLayer:)`` has to wait.
    /// - Throws: ``CacheError``; then there is no layer.
    package func beginGraph(_ mutation: GraphMutation) async throws(CacheError) -> Bool {
        if let closedRefusal { throw closedRefusal }
        let plan = try mutationPlan(mutation.request)
        guard graph.upstream != nil else {
            throw CacheError(.upstreamFailed, "there is nobody to ask: nothing changed")
        }
        guard let optimistic = mutation.optimistic else {
            guard mutation.send == nil else {
                throw CacheError(.invalidParams, "send needs optimistic: pass the data that the mutation will bring")
            }
            return false
        }
        var options = AnswerNormalizer.Options()
        options.isPartial = true
        let hoped = try graphAnswer(optimistic, plan, mutation.request.library, options: options)
        guard !hoped.entities.isEmpty else {
            throw CacheError(.invalidParams, "optimistic names no entity: give objects with __typename and key")
        }
        var operations: [TransactionOperation] = []
        do throws(StorageError) {
            try await withGraph({ asked in
                hoped.entities.compactMap { entity in
                    guard case .elsewhere(let key) = graphLook(entity.key, asked: asked) else { return nil }
                    return key
                }
            }) {
                operations = hoped.entities.map { entity in
                    if case .found = graphLook(entity.key, asked: []) {
                        return .merge(type: entity.key.type, id: entity.key.id, fields: entity.resource)
                    }
                    return .keyedPut(type: entity.key.type, id: entity.key.id, resource: entity.resource)
                }
            }
        } catch {
            throw CacheError(.storageFailed, error.description)
        }
        try await begin(
            OptimisticUpdate(
                pendingID: mutation.pendingID, library: mutation.request.library, operations: operations,
                send: mutation.sentRequest))
        return true
    }

    /// Returns the plan of a mutation.
    ///
    /// - Throws: ``CacheError``: `invalidParams` if the operation is not a mutation; the errors of an invalid document.
    func mutationPlan(_ request: GraphRequest) throws(CacheError) -> OperationPlan {
        let plan = try graph.plan(request)
        guard case .operation(.mutation) = plan.root else {
            throw CacheError(.invalidParams, "the operation is no mutation: use graphql.read or graphql.observe")
        }
        return plan
    }

    /// Sends a mutation to the server.
    func askGraph(_ mutation: GraphMutation) async throws(UpstreamError) -> AnswerParts {
        guard let upstream = graph.upstream else { throw UpstreamError("there is nobody to ask") }
        let sent: SentOperation
        do throws(CacheError) {
            sent = try graph.sent(mutation.request)
        } catch {
            throw UpstreamError(error.message, isRefusal: true)
        }
        graph.lastFetch += 1
        let request = sent.request(
            graph.lastFetch, .mutation, pendingID: mutation.pendingID, library: mutation.request.library)
        return try await wholeAnswer(request, of: upstream)
    }

    /// Sends a request, and collects the response if it arrives in parts.
    private func wholeAnswer(
        _ request: GraphUpstreamRequest, of upstream: any GraphUpstream
    ) async throws(UpstreamError) -> AnswerParts {
        switch try await upstream.ask(request) {
        case .whole(let parts): return parts
        case .parts(let parts, let parser):
            defer { parts.stop() }
            let whole = try await gatherGraph(parts, parser) { _, _ in true }
            guard let whole else { throw UpstreamError("nobody waits for the answer any more") }
            return try AnswerParts.checked(whole.answer)
        case .stream(let parts, _):
            parts.stop()
            throw UpstreamError("the answer to a mutation came as a subscription")
        }
    }

    /// Sends a mutation to the server, stores its result and settles its layer.
    ///
    /// - Parameter hasLayer: The result of ``beginGraph(_:)``.
    /// - Returns: The server's `data`, `errors` and `extensions`.
    /// - Throws: ``CacheError`` `upstreamFailed`, `storageFailed`. If the outcome is unknown, the layer stays.
    package func finishGraph(_ mutation: GraphMutation, hasLayer: Bool) async throws(CacheError) -> GraphResult {
        if hasLayer { try await finish(mutation.pendingID, isUpdate: true) }
        let plan = try graph.plan(mutation.request)
        let start = beginGraphFetch(in: mutation.request.library)
        defer { endGraphFetch(start.number, in: mutation.request.library) }
        let parts: AnswerParts
        do throws(UpstreamError) {
            parts = try await askGraph(mutation)
        } catch {
            if error.isRefusal, hasLayer { try await rollBackGraph(mutation.pendingID) }
            throw CacheError(
                .upstreamFailed, "the mutation has no answer (\(error.message))",
                reasons: ["upstream": error.message], details: error.details)
        }
        if parts.hasData {
            do throws(CacheError) {
                var answer = try graphAnswer(parts, plan, mutation.request.library, start: start)
                answer.isMutation = true
                if hasLayer { answer.settledLayer = mutation.pendingID }
                try await storeMutation(answer)
                // The layer is removed for good only when that is on the disk, as with every commit.
                if hasLayer { try await finish(mutation.pendingID, isUpdate: false) }
            } catch {
                if error.code == .storageFailed { throw error }
                throw CacheError(
                    .upstreamFailed, "the server's answer cannot be used: \(error.message)", details: error.details)
            }
        } else if hasLayer {
            try await rollBackGraph(mutation.pendingID)
        }
        return GraphResult(data: AnswerProjector.data(of: parts, plan), source: .upstream).with(parts)
    }

    /// Stores the result of a mutation. If the cache was cleared meanwhile, nothing is stored, and the layer ends.
    func storeMutation(_ answer: GraphAnswer) async throws(CacheError) {
        do throws(CacheError) {
            try await store(answer, isRefetch: false)
        } catch {
            guard error.isCleared else { throw error }
        }
    }

    /// Rolls back the layer of a refused mutation.
    ///
    /// - Throws: ``CacheError`` `storageFailed` if the disk failed: after a restart the layer may exist again.
    private func rollBackGraph(_ pendingID: ByteString) async throws(CacheError) {
        do throws(CacheError) {
            try await rollBack(pendingID)
        } catch {
            if error.code == .storageFailed { throw error }
            // An event has settled the layer meanwhile.
            graphConfiguration.logger.debug("the layer of a mutation is gone already: \(error)")
        }
    }
}
