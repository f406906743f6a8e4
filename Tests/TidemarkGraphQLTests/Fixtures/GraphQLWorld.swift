import TidemarkJSON
import Testing
import TidemarkGraphQLLanguage
import TidemarkGraphQL
import TidemarkModel
import TidemarkStore

/// Entities in a dictionary, as a source for readers.
struct DictionarySource: EntitySource {
    var entities: [GraphQLKey: [UInt8]] = [:]
    var times: [GraphQLKey: FieldTimes] = [:]
    var reasons: [GraphQLKey: DocumentMiss.Reason] = [:]

    func staleSince(_ root: RootName) -> Int64? { nil }

    func list(_ root: RootName) -> [GraphQLKey]? { nil }

    func look(_ key: GraphQLKey) -> SourceLook {
        guard let resource = entities[key] else { return .missing(reasons[key] ?? .absent) }
        return .found(
            EntityView(
                resource: resource,
                dates: times[key] ?? FieldTimes(rest: FieldTimes.Write(writtenAt: 0)), isPending: false))
    }
}

/// A document with rules, for short tests.
struct GraphQLWorld {
    var rules = GraphQLRules()
    var source = DictionarySource()

    init(_ schema: String? = nil) throws {
        guard let schema else { return }
        let parsed = try GraphQLSchema.read(Array(schema.utf8))
        rules = GraphQLRules(
            schema: parsed, identity: parsed.identity, policy: try CachePolicy.read(Array(schema.utf8)))
    }

    func plan(_ document: String, _ variables: String = "{}", operation: ByteString? = nil) throws -> OperationPlan {
        try CheckedDocument(Array(document.utf8), rules: rules)
            .plan(operation: operation, variables: Array(variables.utf8))
    }

    func normalized(
        _ document: String, _ data: String, errors: String? = nil, _ variables: String = "{}", isPartial: Bool = false
    ) throws -> NormalizedResponse {
        var options = ResponseNormalizer.Options()
        options.isPartial = isPartial
        return try ResponseNormalizer.normalize(
            Array(data.utf8), errors: errors.map { JSONSlice(validated: Array($0.utf8)[...]) },
            plan: try plan(document, variables), options: options)
    }

    /// The lines that `tidemark graphql normalize` prints.
    func lines(_ document: String, _ data: String, errors: String? = nil, _ variables: String = "{}") throws -> [String]
    {
        try normalized(document, data, errors: errors, variables).entities.sorted { $0.key < $1.key }.map {
            "\($0.key.text) \(String(decoding: $0.resource, as: UTF8.self))"
        }
    }

    mutating func write(_ document: String, _ data: String, errors: String? = nil, _ variables: String = "{}") throws {
        for entity in try normalized(document, data, errors: errors, variables).entities {
            source.entities[entity.key] = entity.resource
        }
    }

    func read(
        _ document: String, _ variables: String = "{}", completeness: GraphQLCompleteness = .whole, now: Int64 = 0
    ) throws -> GraphQLReadOutcome {
        DocumentReader.read(
            try plan(document, variables), from: source, freshness: GraphQLFreshness(now: now),
            completeness: completeness)
    }

    func data(_ document: String, _ variables: String = "{}", completeness: GraphQLCompleteness = .whole) throws
        -> String
    {
        switch try read(document, variables, completeness: completeness) {
        case .read(let reading): String(decoding: reading.data, as: UTF8.self)
        case .missed(let miss, _): "\(miss.reason) \(miss.path.words) \(miss.key?.text.description ?? "-")"
        case .unloaded(let keys): "unloaded \(keys)"
        }
    }
}
