/// Merges an incoming resource into a stored one.
///
/// - Source: Protocol/events.md, "Merge".
package struct ReferenceMerge {
    private let noMergeFields: Set<[UInt8]>

    /// Creates a merge.
    ///
    /// - Parameter noMergeFields: The unescaped names of members to replace as a whole, at any depth.
    package init(noMergeFields: Set<[UInt8]>) { self.noMergeFields = noMergeFields }

    /// Returns the merged resource: the members of `base` in order, then the new ones of `incoming` in order.
    ///
    /// - Parameter frozen: The unescaped names of members that keep their value in `base`, or stay absent.
    package func merge(
        _ base: [ReferenceMember], with incoming: [ReferenceMember], frozen: Set<[UInt8]> = []
    ) -> [ReferenceMember] {
        var result = Self.collapsed(base)
        for member in Self.collapsed(incoming) where !frozen.contains(member.key.unescaped) {
            if let index = result.firstIndex(where: { $0.key.unescaped == member.key.unescaped }) {
                result[index].value = mergedValue(result[index].value, member)
            } else {
                result.append(member)
            }
        }
        return result
    }

    private func mergedValue(_ base: ReferenceJSON, _ incoming: ReferenceMember) -> ReferenceJSON {
        guard !noMergeFields.contains(incoming.key.unescaped) else { return incoming.value }
        guard let baseMembers = base.members, let newMembers = incoming.value.members else { return incoming.value }
        if Self.areDifferentTags(baseMembers, newMembers) { return incoming.value }
        if Self.isReference(baseMembers) || Self.isReference(newMembers) { return incoming.value }
        return .object(merge(baseMembers, with: newMembers))
    }

    /// True if both are tagged enums, objects with a single capitalized key, with different tags.
    private static func areDifferentTags(_ base: [ReferenceMember], _ incoming: [ReferenceMember]) -> Bool {
        guard let baseTag = tag(of: base), let newTag = tag(of: incoming) else { return false }
        return baseTag != newTag
    }

    /// True if an object refers to an entity: its first member is spelled `"__ref"` and is a string.
    private static func isReference(_ members: [ReferenceMember]) -> Bool {
        guard let first = members.first, case .string = first.value else { return false }
        return first.key.spelling == Array(#""__ref""#.utf8)
    }

    private static func tag(of members: [ReferenceMember]) -> [UInt8]? {
        let members = collapsed(members)
        guard members.count == 1, let key = members.first?.key.unescaped, let first = key.first else { return nil }
        return (0x41...0x5A).contains(first) ? key : nil
    }

    /// Returns members without repetitions: a key keeps its first position and spelling, and its last value.
    private static func collapsed(_ members: [ReferenceMember]) -> [ReferenceMember] {
        var result: [ReferenceMember] = []
        for member in members {
            if let index = result.firstIndex(where: { $0.key.unescaped == member.key.unescaped }) {
                result[index].value = member.value
            } else {
                result.append(member)
            }
        }
        return result
    }
}
