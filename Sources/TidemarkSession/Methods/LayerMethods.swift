import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel

/// Adds, commits, rolls back and lists optimistic layers. A change takes effect in line order, and is answered once it
/// is on disk.
///
/// - Source: Protocol/optimistic.md, methods.
struct LayerMethods: MethodFamily {
    var methods: [SessionMethod] {
        [
            SessionMethod(
                "optimistic.update", params: ["pending_id", "changes", "depends_on", "send"],
                perform: LayerMethods.update),
            SessionMethod(
                "optimistic.commit", params: ["pending_id", "confirmed", "resource_type", "sequence", "id_map"],
                perform: LayerMethods.commit),
            SessionMethod("optimistic.rollback", params: ["pending_id"], perform: LayerMethods.rollBack),
            SessionMethod("optimistic.retry", params: ["pending_id"], perform: LayerMethods.retry),
            SessionMethod(
                "optimistic.list", params: [], besideWriter: .performed, perform: LayerMethods.list),
        ]
    }

    private static func update(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let update = try call.reader.update(call.params)
        return try await call.answerLater(after: { () throws(CacheError) in try await call.cache.begin(update) }) {
            (_) throws(CacheError) in
            try await call.cache.finish(update.pendingID, isUpdate: true)
            return Answer.object { $0.member("pending_id", Optional(update.pendingID)) }
        }
    }

    private static func commit(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let commit = try call.reader.commit(call.params)
        return try await change(commit.pendingID, call) { () throws(CacheError) in try await call.cache.begin(commit) }
    }

    /// Rolls a layer back. Without a library, the layer is found by its id alone.
    private static func rollBack(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let pendingID = try call.params.requiredText("pending_id")
        let library = try call.reader.optionalLibrary(call.params)
        return try await change(pendingID, call) { () throws(CacheError) in
            try await call.cache.beginRollBack(pendingID, library: library)
        }
    }

    /// Sends a layer's request again. Without a library, the layer is found by its id alone.
    private static func retry(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let pendingID = try call.params.requiredText("pending_id")
        let library = try call.reader.optionalLibrary(call.params)
        return try await change(pendingID, call) { () throws(CacheError) in
            try await call.cache.beginRetry(pendingID, library: library)
        }
    }

    private static func change(
        _ pendingID: ByteString, _ call: MethodCall, _ begin: () async throws(CacheError) -> Void
    ) async throws(CacheError) -> MethodOutcome {
        try await call.answerLater(after: begin) { (_) throws(CacheError) in
            try await call.cache.finish(pendingID, isUpdate: false)
            return Answer.empty
        }
    }

    private static func list(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let library = try call.reader.optionalLibrary(call.params)
        return .answered(Answer.pending(await call.cache.pendingLayers(library: library)))
    }
}
