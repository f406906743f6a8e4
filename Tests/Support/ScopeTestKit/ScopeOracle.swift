import TidemarkModel
import TidemarkViews

/// An entity of the oracle: its members in their order, with the names' spelling.
package struct OracleEntity: Equatable, Sendable {
    package struct Member: Equatable, Sendable {
        package var name: String
        /// The name as it is written, with escapes.
        package var spelling: String
        /// The value as JSON.
        package var value: String

        package init(name: String, spelling: String, value: String) {
            self.name = name
            self.spelling = spelling
            self.value = value
        }
    }

    package var members: [Member]

    package init(members: [Member]) { self.members = members }

    /// The resource as JSON.
    package var text: String { "{" + members.map { "\"\($0.spelling)\":\($0.value)" }.joined(separator: ",") + "}" }

    /// The text of a string member; nil without one. The last of several counts.
    package func string(_ name: String) -> String? {
        guard let value = members.last(where: { $0.name == name })?.value, value.hasPrefix("\"") else { return nil }
        return String(value.dropFirst().dropLast())
    }

    package func isTrue(_ name: String) -> Bool { members.last { $0.name == name }?.value == "true" }

    /// The resource with only some members; the last value of a repeated one, at the place of the first.
    package func sending(_ sends: (String) -> Bool) -> String {
        var seen: Set<String> = []
        var written: [String] = []
        for member in members where sends(member.name) && seen.insert(member.name).inserted {
            let value = members.last { $0.name == member.name }?.value ?? ""
            written.append("\"\(member.spelling)\":\(value)")
        }
        return "{" + written.joined(separator: ",") + "}"
    }
}

/// What a client may see, by rules that are written out here by hand: a dictionary and plain conditions.
///
/// It shares no code with the module, the views or their oracle.
package struct ScopeOracle: Sendable {
    /// One scope with the values of its parameters.
    package struct Instance: Hashable, Sendable {
        package var scope: String
        package var me: String
        package var project: String

        package init(scope: String, me: String, project: String) {
            self.scope = scope
            self.me = me
            self.project = project
        }
    }

    package init() {}

    package var entities: [ViewKey: OracleEntity] = [:]
    /// True once the file has changed.
    package var isChanged = false

    package func all(_ type: String) -> [(key: ViewKey, entity: OracleEntity)] {
        entities.filter { $0.key.type == ByteString(type) }.map { ($0.key, $0.value) }
    }

    /// True if the scope is in the file.
    package func exists(_ instance: Instance) -> Bool { !isChanged || instance.scope != "mine" }

    package func isAllowed(_ instance: Instance) -> Bool {
        instance.scope != "project"
            || all("membership").contains {
                $0.entity.string("user") == instance.me && $0.entity.string("project") == instance.project
            }
    }

    /// What a client of a scope may see: every entity as it is sent.
    package func visible(_ instance: Instance) -> [ViewKey: String] {
        guard exists(instance), isAllowed(instance) else { return [:] }
        var visible: [ViewKey: String] = [:]
        for (key, entity) in entities {
            if let text = sent(key, entity, instance) { visible[key] = text }
        }
        return visible
    }

    private func sent(_ key: ViewKey, _ entity: OracleEntity, _ instance: Instance) -> String? {
        switch (instance.scope, key.type.description) {
        case ("project", "project"):
            return entity.string("id") == instance.project ? entity.text : nil
        case ("project", "issue"):
            guard entity.string("project") == instance.project else { return nil }
            return entity.sending { $0 != "internal_notes" && !(isChanged && $0 == "title") }
        case ("project", "comment") where !isChanged:
            guard let issue = issue(entity.string("issue")), issue.string("project") == instance.project
            else { return nil }
            return entity.text
        case ("project", "user") where !isChanged:
            let isMember = all("membership").contains {
                $0.entity.string("user") == key.id.description && $0.entity.string("project") == instance.project
            }
            return isMember ? entity.sending { ["id", "uuid", "title"].contains($0) } : nil
        case ("mine", "issue"):
            let isBlocked = all("block").contains {
                $0.entity.string("issue") == key.id.description && $0.entity.string("user") == instance.me
            }
            guard entity.string("owner") == instance.me, !isBlocked else { return nil }
            return entity.sending { ["id", "uuid", "title", "project"].contains($0) }
        case ("mine", "user"):
            return entity.sending { ["id", "uuid"].contains($0) }
        case ("public", "project"):
            return entity.isTrue("public") ? entity.text : nil
        case ("public", "issue"):
            guard let name = entity.string("project"),
                let project = entities[ViewKey(type: "project", id: ByteString(name))], project.isTrue("public")
            else { return nil }
            return entity.sending { ["id", "uuid", "title"].contains($0) }
        default: return nil
        }
    }

    private func issue(_ id: String?) -> OracleEntity? {
        id.flatMap { entities[ViewKey(type: "issue", id: ByteString($0))] }
    }
}
