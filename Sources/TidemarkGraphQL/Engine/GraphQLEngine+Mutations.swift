import Logging
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// Mutations that are sent once while their caller waits.
///
/// - Source: Protocol/graphql.md, mutations.
extension GraphQLEngine {
    /// Shows a mutation before a server has performed it. This is the first half of a mutation;
    /// ``finish(_:hasLayer:in:)`` is the second.
    ///
    /// - Returns: True if there is a layer, for which ``finish(_:hasLayer:in:)`` has to wait.
    /// - Throws: ``/Tidemark/CacheError``; then there is no layer.
    package func begin(_ mutation: GraphQLMutation, in cache: isolated SyncCache) async throws(CacheError) -> Bool {
        if let refusal = cache.closedRefusal { throw refusal }
        let plan = try mutationPlan(mutation.request)
        guard upstream != nil else {
            throw CacheError(.upstreamFailed, "there is nobody to ask: nothing changed")
        }
        guard let optimistic = mutation.optimistic else {
            guard mutation.send == nil else {
                throw CacheError(.invalidParams, "send needs optimistic: pass the data that the mutation will bring")
            }
            return false
        }
        var options = ResponseNormalizer.Options()
        options.isPartial = true
        let hoped = try FieldResponse.made(of: optimistic, plan, mutation.request.library, options: options)
        guard !hoped.entities.isEmpty else {
            throw CacheError(.invalidParams, "optimistic names no entity: give objects with __typename and key")
        }
        var operations: [TransactionOperation] = []
        do throws(StorageError) {
            try await cache.readWhenLoaded({ asked in
                cache.withReading(of: mutation.request.library, asked: asked) { reading in
                    hoped.entities.compactMap { entity in
                        guard case .elsewhere(let key) = reading.look(entity.key) else { return nil }
                        return key
                    }
                }
            }) {
                operations = cache.withReading(of: mutation.request.library) { reading in
                    hoped.entities.map { entity in
                        if case .found = reading.look(entity.key) {
                            return .merge(type: entity.key.type, id: entity.key.id, fields: entity.resource)
                        }
                        return .keyedPut(type: entity.key.type, id: entity.key.id, resource: entity.resource)
                    }
                }
            }
        } catch {
            throw CacheError(error)
        }
        try await cache.begin(
            OptimisticUpdate(
                pendingID: mutation.pendingID, library: mutation.request.library, operations: operations,
                send: mutation.sentRequest))
        return true
    }

    /// Returns the plan of a mutation.
    ///
    /// - Throws: ``/Tidemark/CacheError``: `invalidParams` if the operation is not a mutation; the errors of an invalid
    ///   document.
    func mutationPlan(_ request: GraphQLRequest) throws(CacheError) -> OperationPlan {
        let plan = try plan(request)
        guard case .operation(.mutation) = plan.root else {
            throw CacheError(.invalidParams, "the operation is no mutation: use graphql.read or graphql.observe")
        }
        return plan
    }

    /// Sends a mutation to the server.
    func ask(_ mutation: GraphQLMutation, in cache: isolated SyncCache) async throws(UpstreamError) -> ResponseParts {
        guard let upstream else { throw UpstreamError("there is nobody to ask") }
        let sent: SentOperation
        do throws(CacheError) {
            sent = try self.sent(mutation.request)
        } catch {
            throw UpstreamError(error.message, isRefusal: true)
        }
        lastFetch += 1
        let request = sent.request(
            lastFetch, .mutation, pendingID: mutation.pendingID, library: mutation.request.library)
        return try await wholeAnswer(request, of: upstream, in: cache)
    }

    /// Sends a request, and collects the response if it arrives in parts.
    private func wholeAnswer(
        _ request: GraphQLUpstreamRequest, of upstream: any GraphQLUpstream, in cache: isolated SyncCache
    ) async throws(UpstreamError) -> ResponseParts {
        switch try await upstream.ask(request) {
        case .whole(let parts): return parts
        case .parts(let parts, let parser):
            defer { parts.stop() }
            let whole = try await gather(parts, parser, in: cache) { _, _ in true }
            guard let whole else { throw UpstreamError("nobody waits for the answer any more") }
            return try ResponseParts.checked(whole.answer)
        case .stream(let parts, _):
            parts.stop()
            throw UpstreamError("the answer to a mutation came as a subscription")
        }
    }

    /// Sends a mutation to the server, stores its result and settles its layer.
    ///
    /// - Parameter hasLayer: The result of ``begin(_:in:)``.
    /// - Returns: The server's `data`, `errors` and `extensions`.
    /// - Throws: ``/Tidemark/CacheError`` `upstreamFailed`, `storageFailed`. If the outcome is unknown, the layer
    ///   stays.
    package func finish(_ mutation: GraphQLMutation, hasLayer: Bool, in cache: isolated SyncCache)
        async throws(CacheError) -> DocumentResult
    {
        if hasLayer { try await cache.finish(mutation.pendingID, isUpdate: true) }
        let plan = try plan(mutation.request)
        let start = cache.beginFieldFetch(in: mutation.request.library)
        defer { cache.endFieldFetch(start.number, in: mutation.request.library) }
        let parts: ResponseParts
        do throws(UpstreamError) {
            parts = try await ask(mutation, in: cache)
        } catch {
            if error.isRefusal, hasLayer { try await rollBack(mutation.pendingID, in: cache) }
            throw CacheError(
                .upstreamFailed, "the mutation has no answer (\(error.message))",
                reasons: ["upstream": error.message], details: error.details)
        }
        if parts.hasData {
            do throws(CacheError) {
                var answer = try FieldResponse.made(of: parts, plan, mutation.request.library, start: start)
                answer.isMutation = true
                if hasLayer { answer.settledLayer = mutation.pendingID }
                try await storeMutation(answer, in: cache)
                // The layer is removed for good only when that is on the disk, as with every commit.
                if hasLayer { try await cache.finish(mutation.pendingID, isUpdate: false) }
            } catch {
                if error.code == .storageFailed { throw error }
                throw CacheError(
                    .upstreamFailed, "the server's answer cannot be used: \(error.message)", details: error.details)
            }
        } else if hasLayer {
            try await rollBack(mutation.pendingID, in: cache)
        }
        return DocumentResult(data: ResponseProjector.data(of: parts, plan), source: .upstream).with(parts)
    }

    /// Stores the result of a mutation. If the cache was cleared meanwhile, nothing is stored, and the layer ends.
    func storeMutation(_ answer: FieldResponse, in cache: isolated SyncCache) async throws(CacheError) {
        do throws(CacheError) {
            try await cache.store(answer)
        } catch {
            guard error.isCleared else { throw error }
        }
    }

    /// Rolls back the layer of a refused mutation.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `storageFailed` if the disk failed: after a restart the layer may exist
    ///   again.
    private func rollBack(_ pendingID: ByteString, in cache: isolated SyncCache) async throws(CacheError) {
        do throws(CacheError) {
            try await cache.rollBack(pendingID)
        } catch {
            if error.code == .storageFailed { throw error }
            // An event has settled the layer meanwhile.
            cache.configuration.logger.debug("the layer of a mutation is gone already: \(error)")
        }
    }
}
