import Tidemark
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// Reads, observes and changes entities.
///
/// - Source: Protocol/sessions.md, methods.
struct EntityMethods: MethodFamily {
    /// The maximum number of entities per page, and the number without `limit`.
    private static let pageCountMax: Int64 = 100_000
    private static let pageCountDefault = 100

    /// The flags of `cache.clear`, one for each family that stores more than entities and queries.
    let clearings: [ClearingFlag]

    var methods: [SessionMethod] {
        [
            SessionMethod("entity.get", besideWriter: .performed, perform: EntityMethods.get),
            SessionMethod("entity.list", besideWriter: .performed, perform: EntityMethods.list),
            SessionMethod("entity.observe", observes: true, perform: EntityMethods.observe),
            SessionMethod("cache.transaction", params: ["operations"], perform: EntityMethods.transact),
            SessionMethod(
                "cache.remove", params: ["resource_type", "ids", "matching", "cascade"], perform: EntityMethods.remove),
            SessionMethod("cache.clear", params: clearings.map(\.name), perform: clear),
            SessionMethod("cache.erase", params: [], perform: erase),
        ]
    }

    private static func get(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        if try call.params.flag("base") { return .answered(try await base(call)) }
        return .answered(Answer.entity(try await call.cache.read(try call.reader.entityRequest(call.params))))
    }

    /// Returns the entity without the layers of pending edits, and the layers beside it.
    private static func base(_ call: MethodCall) async throws(CacheError) -> [UInt8] {
        let key = try call.reader.key(call.params)
        let wanted = try call.reader.fields(call.params).map { Set($0.map(\.bytes)) }
        let explanation = try await call.cache.explain(key)
        let base = try await call.cache.base(of: key, fields: wanted)
        let isStale = await call.cache.status(of: key.library).phase == .stale
        return Answer.base(base, of: key, fields: explanation.fields, isStale: isStale, wanted: wanted)
    }

    private static func list(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let library = try call.reader.library(call.params)
        let type = try call.params.resourceType(limits: call.reader.limits)
        let after = try call.reader.place(call.params, type: type, library: library)
        let limit = try call.params.integer("limit", in: 1...pageCountMax).map { Int($0) }
        let page = try await call.cache.list(
            type: type, library: library, after: after, countMax: limit ?? pageCountDefault)
        return .answered(Answer.page(page))
    }

    private static func observe(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        if try call.params.flag("base") {
            throw CacheError(.invalidParams, "base is true: read the base with entity.get; observers see edits")
        }
        let request = try call.reader.entityRequest(call.params)
        await call.cache.observe(request, sink: call.session.output) { [responder = call.responder] result in
            responder.answer(result.map { Answer.entity($0.0, subscription: $0.1) }.mapError { MessageError($0) })
        }
        return .later
    }

    private static func transact(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        try await call.cache.transact(
            try call.reader.operations(call.params), library: try call.reader.library(call.params),
            expecting: try call.reader.expectations(call.params))
        return .answered(Answer.empty)
    }

    private static func remove(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let count = try await call.cache.remove(try call.reader.removal(call.params))
        return .answered(Answer.object { $0.member("removed", count) })
    }

    /// Erases one library. Its stored HTTP responses leave memory, too.
    private func erase(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        guard let library = try call.reader.optionalLibrary(call.params) else {
            throw CacheError(.invalidParams, "library_id is missing: it names the library to erase")
        }
        for clearing in clearings { clearing.begin(library) }
        let isErased = try await call.cache.erase(library: library)
        for clearing in clearings { try await clearing.finish(library) }
        return .answered(Answer.object { $0.member("erased", isErased) })
    }

    /// Clears one library, or with no `library_id` all of them.
    private func clear(_ call: MethodCall) async throws(CacheError) -> MethodOutcome {
        let library = try call.reader.optionalLibrary(call.params)
        var wanted: [ClearingFlag] = []
        for clearing in clearings where try call.params.flag(clearing.name) { wanted.append(clearing) }
        for clearing in wanted { clearing.begin(library) }
        try await call.cache.clear(library: library)
        for clearing in wanted { try await clearing.finish(library) }
        return .answered(Answer.empty)
    }
}
