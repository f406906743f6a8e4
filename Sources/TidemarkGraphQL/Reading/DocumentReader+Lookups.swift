import TidemarkGraphQLLanguage
import TidemarkModel

/// Root fields that are look-ups by key.
extension DocumentReader where Source: ~Escapable {
    /// Returns the entities that a look-up by key names; nil if the field has no such rule.
    func lookUp(_ field: CollectedField, _ planned: PlanField) -> StoredValue? {
        let rules = plan.rules
        guard field.set != nil, let rule = rules.lookup(planned.name), let names = rule.keyArguments,
            let typename = rules.lookupTypename(of: planned.name, field.type)
        else { return nil }
        let type = rules.resourceType(of: typename)
        if names.count == 1, case .list(let values)? = planned.arguments[names[0]] {
            var references: [StoredValue] = []
            for value in values {
                guard let text = KeyText.text(of: value) else { return nil }
                references.append(.reference(GraphQLKey(type: type, id: ByteString(text))))
            }
            return .list(references)
        }
        var id: [UInt8] = []
        for (place, name) in names.enumerated() {
            guard let text = planned.arguments[name].flatMap({ KeyText.text(of: $0) }) else { return nil }
            if place > 0 { id.append(UInt8(ascii: "+")) }
            KeyText.append(text, isJoined: names.count > 1, to: &id)
        }
        return .reference(GraphQLKey(type: type, id: ByteString(id)))
    }
}
