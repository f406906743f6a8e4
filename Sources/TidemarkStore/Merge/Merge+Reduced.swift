/// Merging into an entity of which only some fields are known.
extension Merge {
    /// What a change makes known: an object that would be merged into a field nobody knows any more gives a part of it, and is left out.
    ///
    /// - Parameters:
    ///   - incoming: An object; validated, without insignificant white space.
    ///   - base: What is known of the entity; likewise.
    ///   - noMergeFields: Names whose values are replaced, so that they are known whole.
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
