import Tidemark
import TidemarkModel
import TidemarkStore

@testable import TidemarkGraphQL

/// Reads and writes of documents by the engine that is attached to a cache, in one line of a test.
extension SyncCache {
    func readDocument(
        _ request: GraphQLReadRequest, observing sink: (any ObserverSink)? = nil,
        reply: @escaping @Sendable (Result<GraphQLReply, CacheError>) -> Void
    ) async {
        await withWing(GraphQLEngine.self) { engine, cache in
            await engine.read(request, observing: sink, in: cache, reply: reply)
        }
    }

    func writeDocument(
        _ request: GraphQLRequest, _ parts: ResponseParts, asOf: EventSequence? = nil
    ) async throws(CacheError) {
        try await withWing(GraphQLEngine.self) { (engine, cache) async throws(CacheError) in
            try await engine.write(request, parts, asOf: asOf, in: cache)
        }
    }

    func writeFragment(_ document: ByteString, of key: EntityKey, _ parts: ResponseParts) async throws(CacheError) {
        try await withWing(GraphQLEngine.self) { (engine, cache) async throws(CacheError) in
            try await engine.writeFragment(nil, of: document, variables: nil, key: key, parts, in: cache)
        }
    }
}
