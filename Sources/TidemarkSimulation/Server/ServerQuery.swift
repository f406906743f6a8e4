import TidemarkTesting

/// The queries that simulated hosts ask, one of each kind of list.
package enum ServerQuery: Int, CaseIterable, Sendable {
    /// Everything, in the server's order.
    case all
    /// In the server's order, without a rule: what the server likes.
    case liked
    /// By a rule.
    case ruled
    /// By a rule, the first three.
    case first
    /// By a rule, evaluated over what the cache has.
    case local

    /// As a query's `input`.
    package var input: String { "{\"q\":\(rawValue)}" }

    /// nil: the server's order.
    package var membership: String? {
        switch self {
        case .all, .liked: nil
        case .ruled:
            #"{"resource_type":"file","where":{"path":"/n","gte":1},"order":[{"path":"/n"},{"path":"/t"}]}"#
        case .first:
            #"{"resource_type":"file","order":[{"path":"/t","direction":"desc"},{"path":"/n"}],"limit":3}"#
        case .local: #"{"resource_type":"file","where":{"path":"/t","eq":"x"},"order":[{"path":"/n"}]}"#
        }
    }

    /// The ids that the list has when these are all entities.
    ///
    /// - Throws: When an entity is no JSON.
    package func ids(of entities: [String: ItemFields]) throws(ReferenceJSONError) -> [String] {
        switch self {
        case .all: return entities.keys.sorted { $0.utf8.lexicographicallyPrecedes($1.utf8) }
        case .liked:
            let liked = entities.filter { $1.values["t"] == #""x""# }.map(\.key)
            return liked.sorted { $1.utf8.lexicographicallyPrecedes($0.utf8) }
        case .ruled, .first, .local:
            guard let text = membership else { return [] }
            let rule = ReferenceMembership(rule: try ReferenceJSONParser.parse(Array(text.utf8)))
            var resources: [(id: [UInt8], resource: ReferenceJSON)] = []
            for (id, fields) in entities {
                resources.append((Array(id.utf8), try ReferenceJSONParser.parse(Array(fields.resource(id).utf8))))
            }
            return rule.list(of: resources).map { String(decoding: $0, as: UTF8.self) }
        }
    }
}
