import Tidemark
import TidemarkGraphQL
import TidemarkModel

/// Reads and writes of documents by the engine that is attached to a cache.
extension SyncCache {
    func readDocument(
        _ request: GraphQLReadRequest, observing sink: (any ObserverSink)? = nil,
        reply: @escaping @Sendable (Result<GraphQLReply, CacheError>) -> Void
    ) async {
        await withWing(GraphQLEngine.self) { engine, cache in
            await engine.read(request, observing: sink, in: cache, reply: reply)
        }
    }

    func writeDocument(_ request: GraphQLRequest, _ parts: ResponseParts) async throws(CacheError) {
        try await withWing(GraphQLEngine.self) { (engine, cache) async throws(CacheError) in
            try await engine.write(request, parts, in: cache)
        }
    }

    func isStream(_ request: GraphQLRequest) async throws(CacheError) -> Bool {
        try await withWing(GraphQLEngine.self) { (engine, _) async throws(CacheError) in try engine.isStream(request) }
    }
}
