import Tidemark
import TidemarkGraphQLStore
import TidemarkModel
import TidemarkJSON

extension Session {
    /// Performs a request about GraphQL documents.
    ///
    /// - Returns: The result; nil if the answer is sent separately.
    func perform(_ method: GraphMethod, _ responder: Responder) async throws(CacheError) -> [UInt8]? {
        switch method {
        case .read(let request):
            try await read(request, observing: nil, responder)
            return nil
        case .observe(let request):
            if try await cache.isStream(request.operation) {
                let subscription = try await cache.subscribeGraph(request.operation, sink: outputQueue)
                return Answer.object { $0.member("subscription", subscription.rawValue) }
            }
            try await read(request, observing: outputQueue, responder)
            return nil
        case .write(let request, let parts, let asOf, let isPartial):
            try await cache.writeGraph(request, parts, asOf: asOf, isPartial: isPartial)
        case .readFragment(let fragment):
            let result = try await cache.readFragment(
                fragment.name, of: fragment.document, variables: fragment.variables, key: fragment.key)
            return Answer.object { $0.graphResult(result) }
        case .writeFragment(let fragment, let parts, let asOf, let isPartial):
            try await cache.writeFragment(
                fragment.name, of: fragment.document, variables: fragment.variables, key: fragment.key, parts,
                asOf: asOf, isPartial: isPartial)
        case .mutate(let mutation):
            try await mutate(mutation, responder)
            return nil
        case .stop(let subscription):
            try await cache.cancel(subscription)
        case .part(let fetch, let payload):
            await cache.receiveGraph(payload, fetch: fetch)
        }
        return Answer.empty
    }

    private func read(
        _ request: GraphReadRequest, observing sink: (any ObserverSink)?, _ responder: Responder
    ) async throws(CacheError) {
        let number = try waiting.add(responder, .query)
        await cache.readGraph(request, observing: sink) { [waiting, cache, outputQueue] result in
            if sink == nil { cache.assumeIsolated { $0.deliverAll(to: outputQueue) } }
            let outcome = result.map { reply in
                Answer.object { line in
                    line.graphResult(reply.result)
                    if let subscription = reply.subscription { line.member("subscription", subscription.rawValue) }
                }
            }
            waiting.finish(number) { $0.answer(outcome.mapError { MessageError($0) }) }
        } later: { [outputQueue] result in
            outputQueue.append(answer: Session.line(of: result, to: request.operation))
        }
    }

    /// Returns the `graphql.result` notification for the response that `cacheAndNetwork` fetches after its first
    /// answer.
    private static func line(of result: Result<GraphReply, CacheError>, to request: GraphRequest) -> [UInt8] {
        MessageLine.notification("graphql.result") { line in
            line.member("document", Optional(request.document))
            line.member("operation_name", request.operationName)
            line.member("variables", json: request.variables?.bytes ?? Array("{}".utf8))
            line.member("library_id", Optional(request.library))
            switch result {
            case .success(let reply): line.graphResult(reply.result)
            case .failure(let error): line.member("error", json: Optional(MessageError(error).json))
            }
        }
    }

    /// Lays the mutation's optimistic layer in line order, and answers once the server, or with `send` the disk, has
    /// it.
    private func mutate(_ mutation: GraphMutation, _ responder: Responder) async throws(CacheError) {
        let number = try waiting.add(responder, .query)
        let hasLayer: Bool
        do throws(CacheError) {
            hasLayer = try await cache.beginGraph(mutation)
        } catch {
            waiting.finish(number) { _ in }
            throw error
        }
        let task = Task { [cache, outputQueue, waiting] in
            let outcome: Result<[UInt8], MessageError>
            do throws(CacheError) {
                if mutation.send != nil {
                    try await cache.finish(mutation.pendingID, isUpdate: true)
                    outcome = .success(Answer.object { $0.member("pending_id", Optional(mutation.pendingID)) })
                } else {
                    let result = try await cache.finishGraph(mutation, hasLayer: hasLayer)
                    outcome = .success(Answer.object { $0.mutated(result) })
                }
            } catch {
                outcome = .failure(MessageError(error))
            }
            await cache.deliverAll(to: outputQueue)
            waiting.finish(number) { $0.answer(outcome) }
        }
        waiting.set(task, for: number)
    }

    /// Returns where to send the requests of pending edits: GraphQL mutations, and all others.
    ///
    /// - Returns: nil if nothing is sent.
    package func mutationUpstream() async -> (any MutationUpstream)? {
        let host = sendsEdits ? calls.map { HostMutations($0, reader: reader) } : nil
        guard await cache.asksGraph else { return host }
        return GraphMutations(cache, other: host) { [cache, outputQueue] answer in
            cache.assumeIsolated { $0.deliverAll(to: outputQueue) }
            outputQueue.append(
                answer: MessageLine.notification("graphql.result") { line in
                    line.member("document", Optional(answer.mutation.request.document))
                    line.member("operation_name", answer.mutation.request.operationName)
                    line.member("variables", json: answer.mutation.request.variables?.bytes ?? Array("{}".utf8))
                    line.member("library_id", Optional(answer.mutation.request.library))
                    line.member("pending_id", Optional(answer.mutation.pendingID))
                    line.mutated(answer.result)
                })
        }
    }
}

extension JSONLine {
    /// Writes the server's response to a mutation.
    fileprivate mutating func mutated(_ result: GraphResult) {
        member("data", json: Optional(result.data))
        member("errors", json: result.errors)
        member("extensions", json: result.extensions)
    }
}
