import TidemarkJSON
import Testing
import TidemarkGraphQL
import TidemarkGraphQLStore
import TidemarkModel
import TidemarkOperations
import TidemarkStore

@testable import Tidemark

/// Entities in a dictionary that typed operations are written to and read from, by the store's own writer and reader.
struct StoredGraph: EntitySource {
    let rules: GraphRules
    private(set) var entities: [GraphKey: [UInt8]] = [:]

    init(schema: String) throws {
        let bytes = Array(schema.utf8)
        let parsed = try GraphQLSchema.read(bytes)
        rules = GraphRules(schema: parsed, identity: parsed.identity, policy: try CachePolicy.read(bytes))
    }

    // MARK: The source of a reader

    func staleSince(_ root: GraphRootName) -> Int64? { nil }

    func list(_ root: GraphRootName) -> [GraphKey]? { nil }

    func look(_ key: GraphKey) -> EntityLook {
        guard let resource = entities[key] else { return .missing(.absent) }
        return .found(
            EntityView(
                resource: resource, dates: FieldTimes(rest: FieldTimes.Write(writtenAt: 0)), isPending: false))
    }

    // MARK: Operations

    private func plan(_ document: String, _ name: String, _ variables: JSONValue) throws -> OperationPlan {
        try GraphDocument(Array(document.utf8), rules: rules).plan(
            operation: ByteString(name), variables: variables.bytes)
    }

    /// Stores an answer.
    mutating func write<Operation: TypedOperation>(_ answer: String, of operation: Operation) throws {
        try write(Array(answer.utf8), Operation.document, Operation.operationName, operation.variables)
    }

    mutating func write(_ data: [UInt8], _ document: String, _ name: String, _ variables: JSONValue) throws {
        var options = AnswerNormalizer.Options()
        options.isPartial = true
        let answer = try AnswerNormalizer.normalize(
            data, errors: nil, plan: try plan(document, name, variables), options: options)
        for entity in answer.entities {
            entities[entity.key] = StoredGraph.merged(entities[entity.key], entity.resource)
        }
    }

    private static func merged(_ old: [UInt8]?, _ new: [UInt8]) -> [UInt8] {
        guard let old, case .object(var members)? = try? JSONValue(parsing: old),
            case .object(let more)? = try? JSONValue(parsing: new)
        else { return new }
        for member in more {
            members.removeAll { $0.name == member.name }
            members.append(member)
        }
        return JSONValue.object(members).bytes
    }

    func reading<Operation: TypedOperation>(
        _ operation: Operation, completeness: GraphCompleteness = .whole
    ) throws -> GraphReading {
        let plan = try plan(Operation.document, Operation.operationName, operation.variables)
        switch DocumentReader.read(
            plan, from: self, freshness: GraphFreshness(now: 0), completeness: completeness)
        {
        case .read(let reading): return reading
        case .missed(let miss, _): throw miss
        case .unloaded(let keys): throw Unloaded(keys: keys)
        }
    }

    func data<Operation: TypedOperation>(
        _ operation: Operation, completeness: GraphCompleteness = .whole
    ) throws -> Operation.Data {
        try Operation.Data(data: try reading(operation, completeness: completeness).data)
    }

    struct Unloaded: Error {
        var keys: [GraphKey]
    }
}
