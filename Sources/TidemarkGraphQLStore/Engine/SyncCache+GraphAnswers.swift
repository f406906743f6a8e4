import Tidemark
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore
import TidemarkJSON

extension GraphAnswer {
    /// Converts a server's response into entities.
    ///
    /// - Throws: ``CacheError`` `invalidParams` with the path of the first place that does not fit the plan.
    static func made(
        of parts: AnswerParts, _ plan: OperationPlan, _ library: ByteString, key: GraphKey? = nil,
        options: AnswerNormalizer.Options = AnswerNormalizer.Options(),
        start: (start: FetchStart, number: UInt64)? = nil,
        asOf: EventSequence? = nil
    ) throws(CacheError) -> GraphAnswer {
        do throws(AnswerFault) {
            let normalized = try AnswerNormalizer.normalize(
                parts.data, errors: parts.errors, plan: plan, key: key, options: options)
            var answer = GraphAnswer(
                library: library,
                entities: normalized.entities.map {
                    GraphAnswer.Entity(key: $0.key.entityKey(in: library), resource: $0.resource)
                },
                roots: normalized.roots.map {
                    GraphAnswer.Root(
                        name: GraphRootName(storageName: $0.storageName), types: $0.types,
                        list: $0.list.map { list in
                            GraphAnswer.List(
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

extension SyncCache {
    /// See ``GraphAnswer/made(of:_:_:key:options:start:asOf:)``.
    func graphAnswer(
        _ parts: AnswerParts, _ plan: OperationPlan, _ library: ByteString, key: GraphKey? = nil,
        options: AnswerNormalizer.Options = AnswerNormalizer.Options(),
        start: (start: FetchStart, number: UInt64)? = nil,
        asOf: EventSequence? = nil
    ) throws(CacheError) -> GraphAnswer {
        try GraphAnswer.made(of: parts, plan, library, key: key, options: options, start: start, asOf: asOf)
    }
}
