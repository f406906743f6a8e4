import TidemarkReferenceModel

/// The entities of one library, parsed for naive evaluations.
package struct SimulatedEntities {
    typealias Entity = (id: String, fields: ItemFields)

    private var resources: [(entity: Entity, id: [UInt8], resource: ReferenceJSON)] = []

    /// Parses entities.
    ///
    /// - Parameter entities: The fields of the entities by id.
    /// - Throws: ``ReferenceJSONError`` if one is not JSON.
    package init(_ entities: [String: ItemFields]) throws(ReferenceJSONError) {
        for (id, fields) in entities {
            let resource = try ReferenceJSONParser.parse(Array(fields.resource(id).utf8))
            resources.append(((id, fields), Array(id.utf8), resource))
        }
    }

    /// All entities, in any order.
    var all: [Entity] { resources.map(\.entity) }

    /// Returns the entities that a membership rule selects, in its order.
    ///
    /// - Throws: ``ReferenceJSONError`` if the rule is not JSON.
    func selected(_ text: String) throws(ReferenceJSONError) -> [Entity] {
        let rule = ReferenceMembership(rule: try ReferenceJSONParser.parse(Array(text.utf8)))
        let members = resources.filter { rule.matches($0.resource) }
        return members.sorted { rule.precedes(($0.id, $0.resource), ($1.id, $1.resource)) }.map(\.entity)
    }
}
