import Tidemark
import TidemarkGraphQLLanguage
import TidemarkModel
import TidemarkStore
import TidemarkJSON

extension FieldResponse {
    /// Converts a server's response into entities.
    ///
    /// - Throws: ``/Tidemark/CacheError`` `invalidParams` with the path of the first place that does not fit the plan.
    static func made(
        of parts: ResponseParts, _ plan: OperationPlan, _ library: ByteString, key: GraphQLKey? = nil,
        options: ResponseNormalizer.Options = ResponseNormalizer.Options(),
        start: (start: FetchStart, number: UInt64)? = nil,
        asOf: EventSequence? = nil
    ) throws(CacheError) -> FieldResponse {
        do throws(ResponseError) {
            let normalized = try ResponseNormalizer.normalize(
                parts.data, errors: parts.errors, plan: plan, key: key, options: options)
            var answer = FieldResponse(
                library: library,
                entities: normalized.entities.map {
                    FieldResponse.Entity(key: $0.key.entityKey(in: library), resource: $0.resource)
                },
                roots: normalized.roots.map {
                    FieldResponse.Root(
                        name: RootName(storageName: $0.storageName), types: $0.types,
                        list: $0.list.map { list in
                            FieldResponse.List(
                                membership: list.rule.membership, text: list.rule.text,
                                elements: list.elements.map { $0.entityKey(in: library) })
                        })
                }, asOf: asOf, start: start?.start)
            answer.fetch = start?.number
            return answer
        } catch {
            var path = JSONLine()
            error.path.appendJSON(to: &path)
            throw CacheError(
                .invalidParams, "\(error.description), nothing was stored",
                details: [CacheError.Detail("path", json: path.bytes)])
        }
    }
}
