import TidemarkJSON
import Testing
import TidemarkGraphQLLanguage
import TidemarkGraphQL
import TidemarkModel
import TidemarkGraphQLTypes
import TidemarkStore

@testable import Tidemark

/// Entities in a dictionary that typed operations are written to and read from, by the store's own writer and reader.
struct StoredGraph: EntitySource {
    let rules: GraphQLRules
    private(set) var entities: [GraphQLKey: [UInt8]] = [:]

    init(schema: String) throws {
        let bytes = Array(schema.utf8)
        let parsed = try GraphQLSchema.read(bytes)
        rules = GraphQLRules(schema: parsed, identity: parsed.identity, policy: try CachePolicy.read(bytes))
    }

    // MARK: The source of a reader

    func staleSince(_ root: RootName) -> Int64? { nil }

    func list(_ root: RootName) -> [GraphQLKey]? { nil }

    func look(_ key: GraphQLKey) -> SourceLook {
        guard let resource = entities[key] else { return .missing(.absent) }
        return .found(
            EntityView(
                resource: resource, dates: FieldTimes(rest: FieldTimes.Write(writtenAt: 0)), isPending: false))
    }

    // MARK: Operations

    private func plan(_ document: String, _ name: String, _ variables: JSONValue) throws -> OperationPlan {
        try CheckedDocument(Array(document.utf8), rules: rules).plan(
            operation: ByteString(name), variables: variables.bytes)
    }

    /// Stores an answer.
    mutating func write<Operation: TypedOperation>(_ answer: String, of operation: Operation) throws {
        try write(Array(answer.utf8), Operation.document, Operation.operationName, operation.variables)
    }

    mutating func write(_ data: [UInt8], _ document: String, _ name: String, _ variables: JSONValue) throws {
        var options = ResponseNormalizer.Options()
        options.isPartial = true
        let answer = try ResponseNormalizer.normalize(
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
        _ operation: Operation, completeness: GraphQLCompleteness = .whole
    ) throws -> GraphQLReading {
        let plan = try plan(Operation.document, Operation.operationName, operation.variables)
        switch DocumentReader.read(
            plan, from: self, freshness: GraphQLFreshness(now: 0), completeness: completeness)
        {
        case .read(let reading): return reading
        case .missed(let miss, _): throw miss
        case .unloaded(let keys): throw Unloaded(keys: keys)
        }
    }

    func data<Operation: TypedOperation>(
        _ operation: Operation, completeness: GraphQLCompleteness = .whole
    ) throws -> Operation.Data {
        try Operation.Data(data: try reading(operation, completeness: completeness).data)
    }

    struct Unloaded: Error {
        var keys: [GraphQLKey]
    }
}
