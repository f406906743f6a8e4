import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel

/// Stores, reads, observes and invalidates the results of queries.
///
/// - Source: Protocol/sessions.md, methods; Protocol/queries.md.
struct QueryMethods: MethodFamily {
    var methods: [SessionMethod] {
        [
            SessionMethod(
                "query.put",
                params: [
                    "method", "input", "resource_type", "resources", "included", "ttl", "as_of", "membership", "tags",
                    "local",
                ], perform: QueryMethods.put),
            SessionMethod("query.read", besideWriter: .performedWithoutFetch) { (call) throws(CacheError) in
                try await QueryMethods.read(call, observing: nil)
            },
            SessionMethod("query.observe", observes: true) { (call) throws(CacheError) in
                try await QueryMethods.read(call, observing: call.session.output)
            },
            SessionMethod(
                "cache.invalidate", params: ["method", "input", "resource_type", "tags", "hints", "all"],
                perform: QueryMethods.invalidate),
        ]
    }

    private static func put(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        try call.reader.checkIncluded(call.params)
        let result = try QueryResult(call.params, limits: call.reader.limits)
        try await call.cache.store(result, for: try call.reader.query(call.params))
        return .answered(Answer.empty)
    }

    private static func invalidate(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let count = try await call.cache.invalidate(try call.reader.invalidation(call.params))
        return .answered(Answer.object { $0.member("stale", count) })
    }

    /// Reads a query. The cache answers now or when a fetch ends; until then the request counts as waiting.
    private static func read(
        _ call: MethodCall, observing sink: (any ObserverSink)?
    ) async throws(CacheError) -> MethodOutcome {
        let request = try call.reader.queryRequest(call.params)
        let (cache, output, waiting) = (call.cache, call.session.output, call.session.waiting)
        let number = try waiting.add(call.responder)
        await cache.read(request, observing: sink) { result in
            // An observer got all notifications in the same step. For a plain read, they must precede the answer: this
            // closure runs on the cache's executor, so nothing happens in between.
            if sink == nil { cache.assumeIsolated { $0.deliverAll(to: output) } }
            let outcome = result.map { Answer.query($0.answer, subscription: $0.subscription) }
            waiting.finish(number) { $0.answer(outcome.mapError { MessageError($0) }) }
        } later: { result in
            output.append(answer: line(of: result, to: request.key))
        }
        return .later
    }

    /// Returns the `query.result` notification for the response that `cacheAndNetwork` fetches after its first answer.
    private static func line(of result: Result<QueryAnswer, CacheError>, to key: QueryKey) -> [UInt8] {
        MessageLine.notification("query.result") { line in
            line.member("method", Optional(key.method))
            line.member("input", json: Optional(key.input.bytes))
            line.member("library_id", Optional(key.library))
            switch result {
            case .success(let answer): line.query(answer)
            case .failure(let error): line.member("error", json: Optional(MessageError(error).json))
            }
        }
    }
}
