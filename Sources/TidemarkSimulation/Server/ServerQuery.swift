import TidemarkReferenceModel

/// The queries that simulated hosts read, one for each kind of list.
package enum ServerQuery: Int, CaseIterable, Sendable {
    /// All entities, in the server's order.
    case all
    /// A selection by the server, in its order, without a rule.
    case liked
    /// A list with a rule.
    case ruled
    /// The first three elements of a list with a rule.
    case first
    /// A list with a rule that is evaluated over the cache's entities.
    case local

    /// The `input` of the query.
    package var input: String { "{\"q\":\(rawValue)}" }

    /// The membership rule; nil for a list in the server's order.
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

    /// Returns the ids of the list over a set of entities.
    ///
    /// - Throws: ``ReferenceJSONError`` if an entity is not JSON.
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
