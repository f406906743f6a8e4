import TidemarkJSON

/// Merges into entities of which only some fields are known.
extension Merge {
    /// Returns a change without the fields that it cannot make known. An object to be merged into an unknown field
    /// would give only a part of that field, so it is left out.
    ///
    /// - Parameters:
    ///   - incoming: The change: a validated object without insignificant white space.
    ///   - base: The known fields of the entity, in the same form.
    ///   - noMergeFields: The names of members whose values are replaced, and so become known completely.
    /// - Complexity: O(base.count + incoming.count).
    static func knowable(
        _ incoming: UnsafeRawBufferPointer, over base: UnsafeRawBufferPointer, noMergeFields: Set<[UInt8]>
    ) -> [UInt8] {
        let old = JSONObject(base, range: 0..<base.count)
        let new = JSONObject(incoming, range: 0..<incoming.count)
        var unknown: Set<[UInt8]> = []
        for member in new.members where incoming[member.value.lowerBound] == UInt8(ascii: "{") {
            let name = new.unescapedName(member)
            let isKnown = old.position(named: UnsafeRawBufferPointer(rebasing: incoming[member.name])) != nil
            if !isKnown, !noMergeFields.contains(name) { unknown.insert(name) }
        }
        guard !unknown.isEmpty else { return Array(incoming) }
        return JSONObject.selection(
            of: incoming, fields: Set(new.members.map { new.unescapedName($0) }).subtracting(unknown))
    }
}
