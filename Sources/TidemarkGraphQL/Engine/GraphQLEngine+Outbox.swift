import Tidemark
import TidemarkModel
import TidemarkStore

/// One attempt to send a mutation from the outbox.
extension GraphQLEngine {
    /// Sends a mutation to the server and stores its result, which settles the layer.
    ///
    /// - Throws: ``UpstreamError``; a refusal if the server sent `errors` without `data`, or if no further attempt can
    ///   succeed.
    func send(
        _ sent: SentMutation, in cache: isolated SyncCache, _ answered: @Sendable (GraphQLMutations.Answer) -> Void
    ) async throws(UpstreamError) -> OptimisticCommit {
        guard let mutation = GraphQLMutation(sent) else {
            throw UpstreamError(
                "its input is no mutation: pass document, variables and optimistic", isRefusal: true,
                code: CacheError.Code.invalidParams.rawValue)
        }
        let plan: OperationPlan
        do throws(CacheError) {
            plan = try mutationPlan(mutation.request)
        } catch {
            throw UpstreamError(error.message, isRefusal: true, code: error.code.rawValue)
        }
        let start = cache.beginFieldFetch(in: sent.library)
        defer { cache.endFieldFetch(start.number, in: sent.library) }
        let parts = try await ask(mutation, in: cache)
        guard parts.hasData else { throw parts.refusal }
        // The attempt has ended meanwhile, so its response is not needed.
        guard let added = cache.addedKeys(by: sent) else { return OptimisticCommit(pendingID: sent.pendingID) }
        do throws(CacheError) {
            let realIDs = try realIDs(mutation, parts, plan, added.keys)
            guard added.isPending else {
                // The edit has been settled or rolled back: only the real ids in the response are still useful.
                let known = realIDs.map { ($0.temporary, $0.real) }
                return OptimisticCommit(
                    pendingID: sent.pendingID, realIDs: Dictionary(known, uniquingKeysWith: { first, _ in first }))
            }
            var answer = try FieldResponse.made(of: parts, plan, sent.library, start: start)
            answer.isMutation = true
            answer.settledLayer = sent.pendingID
            answer.realIDs = realIDs
            try await storeMutation(answer, in: cache)
        } catch {
            if error.code == .storageFailed { throw UpstreamError(error.message) }
            throw UpstreamError(
                "the server's answer cannot be used: \(error.message)", isRefusal: true, code: "invalid_answer")
        }
        let result = DocumentResult(data: ResponseProjector.data(of: parts, plan), source: .upstream).with(parts)
        answered(GraphQLMutations.Answer(mutation: mutation, result: result))
        return OptimisticCommit(pendingID: sent.pendingID)
    }

    /// Returns the real ids of entities that the layer adds: those in the response at the places where the expected
    /// data has temporary ids.
    private func realIDs(
        _ mutation: GraphQLMutation, _ parts: ResponseParts, _ plan: OperationPlan, _ added: Set<EntityKey>
    ) throws(CacheError) -> [LayerConfirmation.RealID] {
        guard let optimistic = mutation.optimistic, !added.isEmpty else { return [] }
        var options = ResponseNormalizer.Options()
        options.isPartial = true
        options.notesPlaces = true
        let library = mutation.request.library
        var found: [ByteString: Set<ByteString>] = [:]
        do throws(ResponseError) {
            let hoped = try ResponseNormalizer.normalize(optimistic.data, plan: plan, options: options)
            let came = try ResponseNormalizer.normalize(
                parts.data, errors: parts.errors, plan: plan, options: options)
            for (path, key) in hoped.keysByPath where added.contains(key.entityKey(in: library)) {
                guard let real = came.keysByPath[path], real.type == key.type else { continue }
                found[key.id, default: []].insert(real.id)
            }
        } catch {
            throw CacheError(.invalidParams, error.description)
        }
        return found.sorted { $0.key < $1.key }.compactMap { temporary, real in
            // A temporary id cannot become two entities.
            guard real.count == 1, let id = real.first, id != temporary else { return nil }
            return LayerConfirmation.RealID(temporary: temporary, real: id)
        }
    }
}

extension ResponseParts {
    /// The refusal expressed by `errors` without `data`, with the message of the first error and its `extensions.code`.
    var refusal: UpstreamError {
        let first = errors?.elements?.first?.members
        let message = first?[Array("message".utf8)]?.text.map { String(decoding: $0, as: UTF8.self) }
        let code = first?[Array("extensions".utf8)]?.members?[Array("code".utf8)]?.text
        return UpstreamError(
            "the server refused it: \(message ?? "its answer has no data")", isRefusal: true,
            code: code.map { String(decoding: $0, as: UTF8.self) })
    }
}
