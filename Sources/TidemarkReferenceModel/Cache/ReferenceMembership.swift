/// A membership rule, implemented word for word: its JSON is read again in every call.
///
/// - Source: Protocol/queries.md, "Membership".
package struct ReferenceMembership: Sendable {
    private let rule: ReferenceJSON

    /// Creates a membership rule from its JSON.
    ///
    /// - Parameter rule: A valid rule; the behaviour for an invalid one is undefined.
    package init(rule: ReferenceJSON) { self.rule = rule }

    /// The maximum number of elements; nil for no limit.
    package var limit: Int? {
        rule.presentMember("limit")?.integerText.flatMap { Int(String(decoding: $0, as: UTF8.self)) }
    }

    /// Returns true if `where` and `scope` hold for a resource.
    package func matches(_ resource: ReferenceJSON) -> Bool {
        if let predicate = rule.presentMember("where"), !holds(predicate, for: resource) { return false }
        guard let scope = rule.presentMember("scope") else { return true }
        return isInside(scope, resource)
    }

    /// Returns true if the left resource precedes the right one in the list.
    package func precedes(
        _ left: (id: [UInt8], resource: ReferenceJSON), _ right: (id: [UInt8], resource: ReferenceJSON)
    ) -> Bool {
        for component in rule.presentMember("order")?.elements ?? [] {
            let pointer = ReferencePointer(component.presentMember("path")?.unescaped ?? [])
            let sign = ReferenceComparison.order(pointer.value(in: left.resource), pointer.value(in: right.resource))
            if sign == 0 { continue }
            let direction = component.presentMember("direction")?.text.map { String(decoding: $0, as: UTF8.self) }
            return (direction ?? "asc").hasPrefix("desc") ? sign > 0 : sign < 0
        }
        return left.id.lexicographicallyPrecedes(right.id)
    }

    /// Returns the ids that the rule selects from resources of its type, in order and with the limit applied.
    package func list(of resources: [(id: [UInt8], resource: ReferenceJSON)]) -> [[UInt8]] {
        let members = resources.filter { matches($0.resource) }.sorted { precedes($0, $1) }.map(\.id)
        return limit.map { Array(members.prefix($0)) } ?? members
    }

    private func holds(_ predicate: ReferenceJSON, for resource: ReferenceJSON) -> Bool {
        if let path = predicate.member("path") {
            let value = ReferencePointer(path.unescaped ?? []).value(in: resource)
            let names = Set((predicate.members ?? []).map { String(decoding: $0.key.unescaped, as: UTF8.self) })
            return names.subtracting(["path"]).allSatisfy { name in
                predicate.member(name).map { operand in operatorHolds(name, value, operand) } ?? false
            }
        }
        if let all = predicate.member("all") {
            return (all.elements ?? []).filter { !holds($0, for: resource) }.isEmpty
        }
        if let any = predicate.member("any") {
            return !(any.elements ?? []).filter { holds($0, for: resource) }.isEmpty
        }
        if let inner = predicate.member("not") { return !holds(inner, for: resource) }
        return false
    }

    private func operatorHolds(_ name: String, _ value: ReferenceJSON?, _ operand: ReferenceJSON) -> Bool {
        func sign() -> Int? {
            guard let value, ReferenceComparison.areOneKind(value, operand) else { return nil }
            return ReferenceComparison.order(value, operand)
        }
        switch name {
        case "eq": return value.map { ReferenceComparison.areEqual($0, operand) } ?? false
        case "ne": return !operatorHolds("eq", value, operand)
        case "lt": return sign().map { $0 < 0 } ?? false
        case "lte": return sign().map { $0 <= 0 } ?? false
        case "gt": return sign().map { $0 > 0 } ?? false
        case "gte": return sign().map { $0 >= 0 } ?? false
        case "in": return (operand.elements ?? []).contains { operatorHolds("eq", value, $0) }
        case "exists": return operand == .bool(value != nil)
        case "prefix":
            guard case .string(let text)? = value, case .string(let start) = operand else { return false }
            return text.unescaped.starts(with: start.unescaped)
        default: return false
        }
    }

    private func isInside(_ scope: ReferenceJSON, _ resource: ReferenceJSON) -> Bool {
        guard let path = scope.presentMember("path"), let directory = ReferencePath(path) else { return false }
        let isRecursive = scope.presentMember("recursive") == .bool(true)
        let pointer = ReferencePointer(scope.presentMember("pointer")?.unescaped ?? Array("/sd_path".utf8))
        var values = resource.member("alternate_paths")?.elements ?? []
        if let value = pointer.value(in: resource) { values.append(value) }
        return values.contains { value in
            guard let path = ReferencePath(value) else { return false }
            if let device = directory.device, device != path.device { return false }
            let depth = directory.components.count
            guard path.components.count > depth, Array(path.components[..<depth]) == directory.components else {
                return false
            }
            return isRecursive || path.components.count == depth + 1
        }
    }
}
