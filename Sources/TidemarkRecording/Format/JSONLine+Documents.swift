import Tidemark
import TidemarkModel
import TidemarkStore
import TidemarkJSON

extension JSONLine {
    /// Appends a GraphQL answer: its entities, and the root fields that it refreshes.
    mutating func document(_ answer: FieldResponse) {
        member("library_id", Optional(answer.library))
        if let fetch = answer.fetch { member("fetch", fetch) }
        if let asOf = answer.asOf { member("as_of", Optional(asOf)) }
        if answer.isMutation { member("mutation", true) }
        if let settled = answer.settledLayer { member("pending_id", Optional(settled)) }
        if !answer.realIDs.isEmpty {
            name("id_map")
            object { line in
                for id in answer.realIDs { line.member(id.temporary, json: Optional(id.json)) }
            }
        }
        name("entities")
        array { line in
            for entity in answer.entities {
                line.object { line in
                    line.key(entity.key)
                    line.member("resource", json: Optional(entity.resource))
                }
            }
        }
        name("roots")
        array { line in
            for root in answer.roots { line.object { $0.root(root) } }
        }
    }

    private mutating func root(_ root: FieldResponse.Root) {
        member("method", Optional(root.name.method))
        member("input", json: Optional(root.name.input.bytes))
        name("types")
        array { line in
            for type in root.types { line.value(type) }
        }
        guard let list = root.list else { return }
        member("membership", json: Optional(list.text))
        name("keys")
        array { line in
            for key in list.elements { line.object { $0.key(key) } }
        }
    }

    private mutating func key(_ key: EntityKey) {
        member("library_id", Optional(key.library))
        member("resource_type", Optional(key.type))
        member("id", Optional(key.id))
    }
}
