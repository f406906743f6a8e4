import TidemarkReferenceModel

/// The scopes of a simulated world, with what a client of each may see.
package enum SimulatedScope: String, CaseIterable, Sendable {
    /// Entities by their own fields, without one of these.
    case plain
    /// Entities by the fields of others.
    case joined

    /// The file with these scopes of each library, named as `plain-a`.
    package static func file(libraries: [String]) -> String {
        let scopes = libraries.flatMap { library in
            allCases.map { #""\#($0.rawValue)-\#(library)":{"library":"\#(library)","types":{"file":\#($0.rule)}}"# }
        }
        return #"{"scopes":{\#(scopes.joined(separator: ","))}}"#
    }

    private var rule: String {
        switch self {
        case .plain: #"{"where":{"path":"/n","gte":1},"without":["v"]}"#
        case .joined:
            #"{"fields":["id","t"],"joins":[{"type":"file","as":"g","kind":"exists","on":{"/t":"file/t"},"#
                + #""where":{"path":"/n","eq":2}}]}"#
        }
    }

    /// Returns what a client of the scope sees, by id.
    ///
    /// - Throws: ``ReferenceJSONError`` if a rule is not JSON.
    package func shown(of entities: SimulatedEntities) throws(ReferenceJSONError) -> [String: ItemFields] {
        switch self {
        case .plain:
            let members = try entities.selected(#"{"where":{"path":"/n","gte":1}}"#)
            return Dictionary(uniqueKeysWithValues: members.map { ($0.id, Self.fields($0.fields, ["n", "t"])) })
        case .joined:
            let texts = Set(
                try entities.selected(#"{"where":{"path":"/n","eq":2}}"#).compactMap { $0.fields.values["t"] })
            let members = entities.all.filter { $0.fields.values["t"].map(texts.contains) ?? false }
            return Dictionary(uniqueKeysWithValues: members.map { ($0.id, Self.fields($0.fields, ["t"])) })
        }
    }

    private static func fields(_ fields: ItemFields, _ names: Set<String>) -> ItemFields {
        ItemFields(fields.values.filter { names.contains($0.key) })
    }
}
