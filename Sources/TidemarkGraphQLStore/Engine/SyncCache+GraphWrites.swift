import Logging
import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// Writes of documents and fragments.
///
/// - Source: Protocol/graphql.md, methods of a session.
extension SyncCache {
    /// Writes data as the answer to an operation.
    ///
    /// - Parameter isPartial: Selected fields may be absent.
    /// - Throws: ``CacheError``; then nothing was stored.
    package func writeGraph(
        _ request: GraphRequest, _ parts: AnswerParts, asOf: EventSequence? = nil, isPartial: Bool = false
    ) async throws(CacheError) {
        if let closedRefusal { throw closedRefusal }
        let plan = try graph.plan(request)
        var options = AnswerNormalizer.Options()
        options.isPartial = isPartial
        try await store(
            graphAnswer(parts, plan, request.library, options: options, asOf: asOf), isRefetch: false)
    }

    /// Writes fields of one entity as a fragment names them.
    ///
    /// - Throws: ``CacheError``; then nothing was stored.
    package func writeFragment(
        _ name: ByteString?, of document: ByteString, variables: ByteString?, key: EntityKey, _ parts: AnswerParts,
        asOf: EventSequence? = nil, isPartial: Bool = false
    ) async throws(CacheError) {
        if let closedRefusal { throw closedRefusal }
        let plan = try graph.plan(fragment: name, of: document, variables: variables)
        var options = AnswerNormalizer.Options()
        options.isPartial = isPartial
        let graphKey = GraphKey(type: graph.rules.resourceType(of: key.type), id: key.id)
        try await store(
            graphAnswer(parts, plan, key.library, key: graphKey, options: options, asOf: asOf), isRefetch: false)
    }
}
