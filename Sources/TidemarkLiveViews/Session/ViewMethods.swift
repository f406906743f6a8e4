import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkViews

/// Reads, observes, defines and explains views.
///
/// - Source: Protocol/views.md, methods.
package struct ViewMethods: MethodFamily {
    /// Creates the family. Its views are those of the cache's ``ViewEngine``.
    package init() {}

    /// The methods of views.
    package var methods: [SessionMethod] {
        let window = ["view", "params", "offset", "limit", "keys"]
        return [
            SessionMethod("view.read", params: window, perform: ViewMethods.read),
            SessionMethod("view.observe", params: window, observes: true, perform: ViewMethods.observe),
            SessionMethod("view.move", params: ["subscription", "offset", "limit"], perform: ViewMethods.move),
            SessionMethod("view.define", params: ["name", "view"], perform: ViewMethods.define),
            SessionMethod("view.drop", params: ["name"], perform: ViewMethods.drop),
            SessionMethod("view.list", params: [], perform: ViewMethods.list),
            SessionMethod("view.explain", params: ["view", "params", "row", "entity"], perform: ViewMethods.explain),
        ]
    }

    /// Writes `views` and `view_bytes`, if views are defined.
    package func statistics(of cache: SyncCache) async -> @Sendable (inout JSONLine) -> Void {
        let (definitionCount, byteCount) = await ViewMethods.withEngine(cache) { (engine, _) in engine.totals }
        return { line in
            guard definitionCount > 0 else { return }
            line.member("views", definitionCount)
            line.member("view_bytes", byteCount)
        }
    }

    /// Performs work with the cache's engine, on the cache's actor. A cache without one is given one.
    private static func withEngine<Result: Sendable, Failure: Error>(
        _ cache: SyncCache, _ body: @Sendable (ViewEngine, isolated SyncCache) async throws(Failure) -> Result
    ) async throws(Failure) -> Result {
        if await !cache.hasWing(ViewEngine.self) { await cache.attach { ViewEngine() } }
        return try await cache.withWing(ViewEngine.self, body)
    }

    // MARK: Results

    private static func read(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let request = try call.reader.viewRequest(call.params)
        let reply = try reply(to: call)
        await withEngine(call.cache) { (engine, cache) in
            await engine.read(request, in: cache) { result in reply(Answer.view(result), cache) }
        }
        return .later
    }

    private static func observe(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let request = try call.reader.viewRequest(call.params)
        let reply = try reply(to: call)
        let output = call.session.output
        await withEngine(call.cache) { (engine, cache) in
            await engine.observe(request, sink: output, in: cache) { result in
                reply(Answer.view(result), cache)
            }
        }
        return .later
    }

    private static func explain(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let request = try call.reader.viewRequest(call.params)
        let part = try call.reader.explainedPart(call.params)
        let reply = try reply(to: call)
        await withEngine(call.cache) { (engine, cache) in
            await engine.explain(request, part, in: cache) { result in
                reply(result.map(Answer.explanation).mapError { MessageError($0) }, cache)
            }
        }
        return .later
    }

    /// Returns a function that answers a request, after the notifications of earlier changes.
    ///
    /// - Throws: ``CacheError`` `limitExceeded` if too many requests wait.
    private static func reply(
        to call: MethodCall
    ) throws(CacheError) -> @Sendable (Result<[UInt8], MessageError>, isolated SyncCache) -> Void {
        let (output, waiting) = (call.session.output, call.session.waiting)
        let number = try waiting.add(call.responder)
        return { outcome, cache in
            // Nothing happens between the two: the cache's actor is not left.
            cache.deliverAll(to: output)
            waiting.finish(number) { $0.answer(outcome) }
        }
    }

    private static func move(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let subscription = try call.reader.subscription(
            call.params, wanted: "the number that view.observe answered with")
        let (offset, limit) = try call.reader.window(call.params)
        try await withEngine(call.cache) { (engine, cache) throws(CacheError) in
            try await engine.move(subscription, offset: offset, limit: limit, in: cache)
        }
        return .answered(Answer.empty)
    }

    // MARK: Definitions

    private static func define(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let name = try call.reader.viewName(call.params)
        let rule = try call.reader.viewRule(call.params)
        let library = try call.reader.library(call.params)
        let cache = call.cache
        return try await call.answerLater(after: { () throws(CacheError) in
            try await withEngine(cache) { (engine, cache) throws(CacheError) in
                try engine.beginDefinition(name, rule, in: library, cache: cache)
            }
        }) { (number) throws(CacheError) in
            try await withEngine(cache) { (engine, cache) throws(CacheError) in
                try await engine.finish(definition: number, cache: cache)
            }
            return Answer.empty
        }
    }

    private static func drop(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let name = try call.reader.viewName(call.params)
        let library = try call.reader.library(call.params)
        let cache = call.cache
        return try await call.answerLater(after: { () throws(CacheError) in
            try await withEngine(cache) { (engine, cache) throws(CacheError) in
                try engine.drop(name, in: library, cache: cache)
            }
        }) { (changes) throws(CacheError) in
            try await cache.write(changes)
            return Answer.empty
        }
    }

    private static func list(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let library = try call.reader.library(call.params)
        let views = await withEngine(call.cache) { (engine, _) in engine.list(in: library) }
        return .answered(
            Answer.object { line in
                line.name("views")
                line.array { line in
                    for view in views { line.value(view) }
                }
            })
    }
}
