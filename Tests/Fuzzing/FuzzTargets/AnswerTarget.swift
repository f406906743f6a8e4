import Tidemark
import TidemarkGraphQLLanguage
import TidemarkGraphQL
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// A document and an answer to it, both as they could be.
///
/// An answer that does not fit stores nothing. The entities of one that fits are JSON objects; the document read from
/// them is JSON or a miss; and writing the data that was read changes nothing.
enum AnswerTarget {
    static let target = FuzzTarget("answer", byteCountMax: 4_096, .now(check))

    private static let schema: Result<GraphQLSchema, GraphQLErrors> = Result { () throws(GraphQLErrors) in
        try GraphQLSchema.read(
            Array(
                """
                interface I { id: ID! a: I l: [[Int]] } type Query { a: A i: I l: [I] s: S }
                type A implements I { id: ID! a: I l: [[Int]] n: Int b: B } type B { x: Int b: B l: [A] }
                type K implements I @typePolicy(keyFields: "k id") { k: Int id: ID! a: I l: [[Int]] } scalar S
                """.utf8))
    }

    private struct Entities: EntitySource {
        var resources: [GraphQLKey: [UInt8]] = [:]

        func staleSince(_ root: RootName) -> Int64? { nil }

        func list(_ root: RootName) -> [GraphQLKey]? { nil }

        func look(_ key: GraphQLKey) -> SourceLook {
            guard let resource = resources[key] else { return .missing(.absent) }
            return .found(
                EntityView(
                    resource: resource, dates: FieldTimes(rest: FieldTimes.Write(writtenAt: 0)), isPending: false))
        }
    }

    /// The document ends with the first line; the answer follows.
    private static func check(_ bytes: [UInt8]) throws {
        guard let end = bytes.firstIndex(of: UInt8(ascii: "\n")) else { return }
        let answer: ResponseParts
        do throws(ResponseError) { answer = try ResponseParts(Array(bytes[(end + 1)...])) } catch { return }
        for rules in [GraphQLRules(), GraphQLRules(schema: try schema.get())] {
            let plan: OperationPlan
            do throws(DocumentError) {
                plan = try CheckedDocument(Array(bytes[..<end]), rules: rules).plan(operation: nil, variables: nil)
            } catch {
                continue
            }
            let normalized: NormalizedResponse
            do throws(ResponseError) {
                normalized = try ResponseNormalizer.normalize(answer.data, errors: answer.errors, plan: plan)
            } catch {
                try require(!error.message.isEmpty, "a fault has a sentence")
                continue
            }
            try requireSound(normalized, plan)
        }
    }

    private static func requireSound(_ normalized: NormalizedResponse, _ plan: OperationPlan) throws {
        var entities = Entities()
        for entity in normalized.entities {
            let resource = entity.resource
            try require(CompactJSON.isObject(resource), "an entity is a compact object")
            entities.resources[entity.key] = resource
        }
        let outcome = DocumentReader.read(plan, from: entities, freshness: GraphQLFreshness(now: 0))
        guard case .read(let reading) = outcome else { return }
        try require(CompactJSON.isObject(reading.data), "data is a compact object")
        // A document without the keys reads entities as if they were embedded: such data cannot be written again.
        let keyed = DocumentReader.read(
            plan, from: entities, freshness: GraphQLFreshness(now: 0), options: .init(showsKeys: true))
        guard case .read(let keyedReading) = keyed else { throw FuzzFinding("a second read misses") }
        var options = ResponseNormalizer.Options()
        options.takesReferences = true
        options.isPartial = true
        let again = try ResponseNormalizer.normalize(keyedReading.data, plan: plan, options: options)
        for entity in again.entities {
            try require(entities.resources[entity.key] != nil, "an entity \(entity.key.text) that nobody wrote")
        }
    }
}
