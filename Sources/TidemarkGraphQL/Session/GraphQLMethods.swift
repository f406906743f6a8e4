import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel

/// Reads, observes and writes GraphQL documents, and sends mutations.
///
/// - Source: Protocol/graphql.md, methods.
package struct GraphQLMethods: MethodFamily {
    /// Creates the family. Its documents are those of the cache's GraphQL engine.
    package init() {}

    /// The methods of documents, fragments, mutations and fetches in progress.
    package var methods: [SessionMethod] {
        [
            SessionMethod("graphql.read") { (call) throws(CacheError) in
                try await GraphQLMethods.read(try call.reader.graphReadRequest(call.params), observing: nil, call)
            },
            SessionMethod("graphql.observe", observes: true, perform: GraphQLMethods.observe),
            SessionMethod(
                "graphql.write",
                params: ["document", "operation_name", "variables", "data", "errors", "as_of", "partial"],
                perform: GraphQLMethods.write),
            SessionMethod("graphql.read_fragment", perform: GraphQLMethods.readFragment),
            SessionMethod(
                "graphql.write_fragment",
                params: [
                    "document", "fragment", "variables", "resource_type", "id", "data", "errors", "as_of", "partial",
                ], perform: GraphQLMethods.writeFragment),
            SessionMethod(
                "graphql.mutate",
                params: ["document", "operation_name", "variables", "pending_id", "optimistic", "send"],
                perform: GraphQLMethods.mutate),
            SessionMethod("graphql.stop", params: ["subscription"], perform: GraphQLMethods.stop),
            SessionMethod("graphql.part", perform: GraphQLMethods.receive),
        ]
    }

    /// Performs work with the cache's GraphQL engine, on the cache's actor.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `upstreamFailed` if the cache has no engine; or the error of `body`.
    private static func withEngine<Result: Sendable>(
        _ cache: SyncCache, _ body: @Sendable (GraphQLEngine, isolated SyncCache) async throws(CacheError) -> Result
    ) async throws(CacheError) -> Result {
        guard await cache.hasWing(GraphQLEngine.self) else {
            throw CacheError(.upstreamFailed, "this cache was opened without GraphQL: attach a GraphQL engine to it")
        }
        return try await cache.withWing(GraphQLEngine.self, body)
    }

    // MARK: Documents

    private static func observe(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let request = try call.reader.graphReadRequest(call.params)
        let output = call.session.output
        let subscription = try await withEngine(call.cache) {
            (engine, cache) throws(CacheError) -> SubscriptionID? in
            guard try engine.isStream(request.operation) else { return nil }
            return try engine.subscribe(request.operation, sink: output, in: cache)
        }
        guard let subscription else { return try await read(request, observing: output, call) }
        return .answered(Answer.object { $0.member("subscription", subscription.rawValue) })
    }

    /// Reads a document. The cache answers now or when a fetch ends; until then the request counts as waiting.
    private static func read(
        _ request: GraphQLReadRequest, observing sink: (any ObserverSink)?, _ call: MethodCall
    ) async throws(CacheError) -> MethodOutcome {
        let (output, waiting) = (call.session.output, call.session.waiting)
        let number = try waiting.add(call.responder)
        do throws(CacheError) {
            try await withEngine(call.cache) { (engine, cache) in
                await engine.read(request, observing: sink, in: cache) { result in
                    if sink == nil { cache.assumeIsolated { $0.deliverAll(to: output) } }
                    let outcome = result.map { reply in
                        Answer.object { line in
                            line.graphResult(reply.result)
                            if let subscription = reply.subscription {
                                line.member("subscription", subscription.rawValue)
                            }
                        }
                    }
                    waiting.finish(number) { $0.answer(outcome.mapError { MessageError($0) }) }
                } later: { result in
                    output.append(answer: line(of: result, to: request.operation))
                }
            }
        } catch {
            waiting.finish(number) { _ in }
            throw error
        }
        return .later
    }

    /// Returns the `graphql.result` notification for the response that `cacheAndNetwork` fetches after its first
    /// answer.
    private static func line(of result: Result<GraphQLReply, CacheError>, to request: GraphQLRequest) -> [UInt8] {
        MessageLine.notification("graphql.result") { line in
            line.operation(request)
            switch result {
            case .success(let reply): line.graphResult(reply.result)
            case .failure(let error): line.member("error", json: Optional(MessageError(error).json))
            }
        }
    }

    private static func write(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let request = try call.reader.graphRequest(call.params)
        let parts = try call.reader.answerParts(call.params)
        let (asOf, isPartial) = (try call.params.sequence("as_of"), try call.params.flag("partial"))
        try await withEngine(call.cache) { (engine, cache) throws(CacheError) in
            try await engine.write(request, parts, asOf: asOf, isPartial: isPartial, in: cache)
        }
        return .answered(Answer.empty)
    }

    private static func readFragment(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let fragment = try call.reader.graphFragment(call.params)
        let result = try await withEngine(call.cache) { (engine, cache) throws(CacheError) in
            try await engine.readFragment(
                fragment.name, of: fragment.document, variables: fragment.variables, key: fragment.key, in: cache)
        }
        return .answered(Answer.object { $0.graphResult(result) })
    }

    private static func writeFragment(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let fragment = try call.reader.graphFragment(call.params)
        let parts = try call.reader.answerParts(call.params)
        let (asOf, isPartial) = (try call.params.sequence("as_of"), try call.params.flag("partial"))
        try await withEngine(call.cache) { (engine, cache) throws(CacheError) in
            try await engine.writeFragment(
                fragment.name, of: fragment.document, variables: fragment.variables, key: fragment.key, parts,
                asOf: asOf, isPartial: isPartial, in: cache)
        }
        return .answered(Answer.empty)
    }

    // MARK: Servers

    /// Lays the mutation's optimistic layer in line order, and answers once the server, or with `send` the disk, has
    /// it.
    private static func mutate(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let mutation = try call.reader.graphMutation(call.params)
        let cache = call.cache
        return try await call.answerLater(after: { () throws(CacheError) in
            try await withEngine(cache) { (engine, cache) throws(CacheError) in
                try await engine.begin(mutation, in: cache)
            }
        }) { (hasLayer) throws(CacheError) in
            if mutation.send != nil {
                try await cache.finish(mutation.pendingID, isUpdate: true)
                return Answer.object { $0.member("pending_id", Optional(mutation.pendingID)) }
            }
            let result = try await withEngine(cache) { (engine, cache) throws(CacheError) in
                try await engine.finish(mutation, hasLayer: hasLayer, in: cache)
            }
            return Answer.object { $0.mutated(result) }
        }
    }

    private static func stop(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        try await call.cache.cancel(
            try call.reader.subscription(call.params, wanted: "the number that graphql.observe answered with"))
        return .answered(Answer.empty)
    }

    /// Takes a further payload of a fetch in progress.
    private static func receive(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        guard let fetch = try call.params.integer("fetch", in: 0...Int64.max) else {
            throw call.params.wrong("fetch", "the number of the fetch that goes on")
        }
        let payload = call.params.slice
        try await withEngine(call.cache) { (engine, cache) in
            await engine.receive(payload, fetch: UInt64(fetch), in: cache)
        }
        return .answered(Answer.empty)
    }

    /// Returns an upstream that sends GraphQL mutations to their server, and all others to `other`.
    package func mutationUpstream(
        over other: (any MutationUpstream)?, in session: SessionContext
    ) async -> (any MutationUpstream)? {
        guard await session.cache.hasWing(GraphQLEngine.self),
            await session.cache.withWing(GraphQLEngine.self, { engine, _ in engine.hasUpstream })
        else { return other }
        let (cache, output) = (session.cache, session.output)
        return GraphQLMutations(cache, other: other) { answer in
            cache.assumeIsolated { $0.deliverAll(to: output) }
            output.append(
                answer: MessageLine.notification("graphql.result") { line in
                    line.operation(answer.mutation.request)
                    line.member("pending_id", Optional(answer.mutation.pendingID))
                    line.mutated(answer.result)
                })
        }
    }
}

extension JSONLine {
    /// Writes what identifies an operation in a notification.
    fileprivate mutating func operation(_ request: GraphQLRequest) {
        member("document", Optional(request.document))
        member("operation_name", request.operationName)
        member("variables", json: request.variables?.bytes ?? Array("{}".utf8))
        member("library_id", Optional(request.library))
    }

    /// Writes the server's response to a mutation.
    fileprivate mutating func mutated(_ result: DocumentResult) {
        member("data", json: Optional(result.data))
        member("errors", json: result.errors)
        member("extensions", json: result.extensions)
    }
}
