import Tidemark
import TidemarkMessages

/// Pauses, resumes and lists the requests of pending edits.
///
/// - Source: Protocol/optimistic.md, the outbox.
struct OutboxMethods: MethodFamily {
    var methods: [SessionMethod] {
        [
            SessionMethod("outbox.pause", params: [], perform: OutboxMethods.pause),
            SessionMethod("outbox.resume", params: [], perform: OutboxMethods.resume),
            SessionMethod("outbox.list", params: [], perform: OutboxMethods.list),
        ]
    }

    private static func pause(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        await call.cache.pauseOutbox()
        return .answered(Answer.empty)
    }

    private static func resume(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        await call.cache.resumeOutbox()
        return .answered(Answer.empty)
    }

    private static func list(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let library = try call.reader.optionalLibrary(call.params)
        return .answered(Answer.outbox(await call.cache.outboxStatuses(library: library)))
    }
}
