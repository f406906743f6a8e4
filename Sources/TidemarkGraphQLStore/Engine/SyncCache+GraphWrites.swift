import Logging
import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// Writing the data of documents and fragments.
///
/// - Source: Protocol/graphql.md, methods of a session.
extension SyncCache {
    /// Writes data as the result of an operation.
    ///
    /// - Parameter isPartial: If true, selected fields may be absent.
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

    /// Writes the fields of a fragment to one entity.
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
