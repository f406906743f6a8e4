import Logging
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore

/// Writing the data of documents and fragments.
///
/// - Source: Protocol/graphql.md, methods of a session.
extension GraphQLEngine {
    /// Writes data as the result of an operation.
    ///
    /// - Parameter isPartial: If true, selected fields may be absent.
    /// - Throws: ``/Tidemark/CacheError``; then nothing was stored.
    package func write(
        _ request: GraphQLRequest, _ parts: ResponseParts, asOf: EventSequence? = nil, isPartial: Bool = false,
        in cache: isolated SyncCache
    ) async throws(CacheError) {
        if let refusal = cache.closedRefusal { throw refusal }
        let plan = try plan(request)
        var options = ResponseNormalizer.Options()
        options.isPartial = isPartial
        try await cache.store(
            FieldResponse.made(of: parts, plan, request.library, options: options, asOf: asOf))
    }

    /// Writes the fields of a fragment to one entity.
    ///
    /// - Throws: ``/Tidemark/CacheError``; then nothing was stored.
    package func writeFragment(
        _ name: ByteString?, of document: ByteString, variables: ByteString?, key: EntityKey, _ parts: ResponseParts,
        asOf: EventSequence? = nil, isPartial: Bool = false, in cache: isolated SyncCache
    ) async throws(CacheError) {
        if let refusal = cache.closedRefusal { throw refusal }
        let plan = try plan(fragment: name, of: document, variables: variables)
        var options = ResponseNormalizer.Options()
        options.isPartial = isPartial
        let graphKey = GraphQLKey(type: rules.resourceType(of: key.type), id: key.id)
        try await cache.store(
            FieldResponse.made(of: parts, plan, key.library, key: graphKey, options: options, asOf: asOf))
    }
}
