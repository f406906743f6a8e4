import Logging
import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// Writes of documents and fragments.
///
/// - Source: Protocol/graphql.md, methods of a session.
extension SyncCache {
    /// Writes data as the answer to an operation.
    ///
    /// - Parameter isPartial: Selected fields may be absent.
    /// - Throws: ``CacheError``; then nothing was stored.
    package func writeGraph(
        _ request: GraphRequest, _ parts: AnswerParts, asOf: EventSequence? = nil, isPartial: Bool = false
    ) async throws(CacheError) {
        if let closedRefusal { throw closedRefusal }
        let plan = try graph.plan(request)
        var options = AnswerNormalizer.Options()
        options.isPartial = isPartial
        try await store(
            graphAnswer(parts, plan, request.library, options: options, asOf: asOf), isRefetch: false)
    }

    /// Writes fields of one entity as a fragment names them.
    ///
    /// - Throws: ``CacheError``; then nothing was stored.
    package func writeFragment(
        _ name: ByteString?, of document: ByteString, variables: ByteString?, key: EntityKey, _ parts: AnswerParts,
        asOf: EventSequence? = nil, isPartial: Bool = false
    ) async throws(CacheError) {
        if let closedRefusal { throw closedRefusal }
        let plan = try graph.plan(fragment: name, of: document, variables: variables)
        var options = AnswerNormalizer.Options()
        options.isPartial = isPartial
        let graphKey = GraphKey(type: graph.rules.resourceType(of: key.type), id: key.id)
        try await store(
            graphAnswer(parts, plan, key.library, key: graphKey, options: options, asOf: asOf), isRefetch: false)
    }

    // MARK: Mutations

    /// Shows a mutation before a server has performed it: the first half of ``mutateGraph(_:)``.
    ///
    /// - Returns: Whether there is a layer now, which ``finishGraph(_:)`` has to wait for.
    /// - Throws: ``CacheError``; then there is no layer.
    package func beginGraph(_ mutation: GraphMutation) async throws(CacheError) -> Bool {
        if let closedRefusal { throw closedRefusal }
        let plan = try graph.plan(mutation.request)
        guard case .operation(.mutation) = plan.root else {
            throw CacheError(.invalidParams, "the operation is no mutation: use graphql.read or graphql.observe")
        }
        guard graph.upstream != nil else {
            throw CacheError(.upstreamFailed, "there is nobody to ask: nothing changed")
        }
        guard let optimistic = mutation.optimistic else {
            guard mutation.sending == nil else {
                throw CacheError(
                    .invalidParams, "send needs optimistic: the request is stored with the edit that it shows")
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
        var update = OptimisticUpdate(
            pendingID: mutation.pendingID, library: mutation.request.library, operations: operations)
        update.send = mutation.stored
        if update.send != nil, graph.outcomes[mutation.pendingID] == nil {
            graph.outcomes[mutation.pendingID] = .expected
        }
        do throws(CacheError) {
            try await begin(update)
        } catch {
            // A layer of that name is another mutation's, whose caller may wait.
            if error.code != .duplicatePending { graph.outcomes[mutation.pendingID] = nil }
            throw error
        }
        return true
    }

    /// Asks the server to perform a mutation, and settles its layer by what it answers.
    ///
    /// - Parameter hasLayer: What ``beginGraph(_:)`` returned.
    /// - Returns: `data`, `errors` and `extensions` as the server said them.
    /// - Throws: ``CacheError`` `upstreamFailed`, `storageFailed`. The layer of a mutation whose outcome nobody knows
    ///   stays.
    package func finishGraph(_ mutation: GraphMutation, hasLayer: Bool) async throws(CacheError) -> GraphResult {
        if hasLayer { try await finish(mutation.pendingID, isUpdate: true) }
        if hasLayer, mutation.sending != nil { return try await firstOutcome(of: mutation.pendingID) }
        do throws(GraphMutationFault) {
            let parts = try await perform(mutation, hasLayer: hasLayer)
            if !parts.hasData, hasLayer { await rollBackGraph(mutation.pendingID) }
            return try result(of: parts, mutation)
        } catch {
            switch error {
            case .unanswered(let error):
                if error.isRefusal, hasLayer { await rollBackGraph(mutation.pendingID) }
                throw CacheError(
                    .upstreamFailed, "the mutation has no answer (\(error.message))",
                    reasons: ["upstream": error.message], details: error.details)
            case .unusable(let error):
                if error.code == .storageFailed { throw error }
                throw CacheError(
                    .upstreamFailed, "the server's answer cannot be used: \(error.message)", details: error.details)
            }
        }
    }

    /// The answer as the document asked for it.
    func result(of parts: AnswerParts, _ mutation: GraphMutation) throws(GraphMutationFault) -> GraphResult {
        do throws(CacheError) {
            let plan = try graph.plan(mutation.request)
            return GraphResult(data: AnswerProjector.data(of: parts, plan), source: .upstream).with(parts)
        } catch {
            throw .unusable(error)
        }
    }

    /// Asks the server once, and stores its answer, which settles the layer.
    func perform(
        _ mutation: GraphMutation, hasLayer: Bool
    ) async throws(GraphMutationFault) -> AnswerParts {
        guard let upstream = graph.upstream else { throw .unanswered(UpstreamError("there is nobody to ask")) }
        graph.lastFetch += 1
        let number = graph.lastFetch
        let start = beginGraphFetch(in: mutation.request.library)
        defer { endGraphFetch(start.number, in: mutation.request.library) }
        let request: GraphUpstreamRequest
        do throws(CacheError) {
            request = GraphUpstreamRequest(
                fetch: number, document: ByteString(try graph.document(mutation.request.document).sent),
                operationName: mutation.request.operationName, variables: mutation.request.variables ?? "{}",
                kind: .mutation, pendingID: mutation.pendingID, library: mutation.request.library)
        } catch {
            throw .unusable(error)
        }
        let parts: AnswerParts
        do throws(UpstreamError) {
            parts = try await wholeAnswer(request, of: upstream)
        } catch {
            throw .unanswered(error)
        }
        guard parts.hasData else { return parts }
        do throws(CacheError) {
            let plan = try graph.plan(mutation.request)
            var answer = try graphAnswer(parts, plan, mutation.request.library, start: start)
            if hasLayer { answer.settledLayer = mutation.pendingID }
            try await store(answer, isRefetch: false)
            // The layer is gone for good only when that is on the disk, as with every commit.
            if hasLayer { try await finish(mutation.pendingID, isUpdate: false) }
        } catch {
            throw .unusable(error)
        }
        return parts
    }

    /// Asks for an answer, and gathers it where it comes in parts.
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

    private func rollBackGraph(_ pendingID: ByteString) async {
        do throws(CacheError) {
            try await rollBack(pendingID)
        } catch {
            // An event has settled it meanwhile, or it is rolled back on the disk later.
            graphConfiguration.logger.debug("the layer of a mutation is gone already: \(error)")
        }
    }
}

/// A mutation of a document.
package struct GraphMutation: Sendable {
    package var request: GraphRequest
    package var pendingID: ByteString
    /// Data as it is hoped for; nil when nothing is shown before the server's answer.
    package var optimistic: AnswerParts?
    /// Lets the outbox ask until the server has answered; nil: the server is asked once.
    package var sending: GraphSending?

    package init(_ request: GraphRequest, pendingID: ByteString, optimistic: AnswerParts?) {
        self.request = request
        self.pendingID = pendingID
        self.optimistic = optimistic
    }

    /// Makes a name for a mutation whose caller gave none.
    package static func newPendingID() -> ByteString {
        let digits = String(UInt64.random(in: .min ... .max), radix: 16)
        return ByteString("tm-" + String(repeating: "0", count: 16 - digits.count) + digits)
    }
}
