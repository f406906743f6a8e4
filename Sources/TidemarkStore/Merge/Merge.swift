import TidemarkJSON

/// Merges changes into stored entities. It works on bytes, so that every number and string stays as it was written.
///
/// - Source: Protocol/events.md, merging.
package enum Merge {
    /// Merges a change into a stored object, embedded objects included.
    ///
    /// - Parameters:
    ///   - incoming: The change: a validated object without insignificant white space.
    ///   - base: The stored object, in the same form.
    ///   - noMergeFields: The names of members whose values are replaced at any depth.
    ///   - keepsIdentity: True if `incoming` has another id than the one under which the entity is stored. The stored
    ///     `id` then stays, and so does `uuid` if the entity is stored under it.
    /// - Returns: The merged object. Members keep the base's order; new ones follow in the incoming order.
    /// - Complexity: O((base.count + incoming.count) · nesting): each level is scanned once for its own members.
    package static func merged(
        _ incoming: UnsafeRawBufferPointer, into base: UnsafeRawBufferPointer, noMergeFields: Set<[UInt8]>,
        keepsIdentity: Bool = false
    ) -> [UInt8] {
        var merge = ObjectMerge(base: base, incoming: incoming, noMergeFields: noMergeFields)
        merge.append(base: 0..<base.count, incoming: 0..<incoming.count, keepsIdentity: keepsIdentity)
        return merge.result
    }

    /// Replaces the named top-level members and leaves the others.
    ///
    /// - Parameters:
    ///   - fields: The new members: a validated object without insignificant white space. Empty replaces nothing.
    ///   - base: The stored object, in the same form.
    ///   - unset: The unescaped names of members to remove; a name that is also in `fields` is removed too.
    ///   - kept: The unescaped names of members that stay as they are in the base, or absent.
    /// - Returns: The new object. Members keep the base's order; new ones follow in the order of `fields`.
    /// - Complexity: O(base.count + fields.count).
    package static func assigned(
        _ fields: UnsafeRawBufferPointer, into base: UnsafeRawBufferPointer, unset: Set<[UInt8]> = [],
        keeping kept: Set<[UInt8]> = []
    ) -> [UInt8] {
        let old = JSONObject(base, range: 0..<base.count)
        let new = fields.isEmpty ? nil : JSONObject(fields, range: 0..<fields.count)
        var result: [UInt8] = []
        result.reserveCapacity(base.count + fields.count)
        result.append(UInt8(ascii: "{"))
        func append(_ bytes: UnsafeRawBufferPointer, name: Range<Int>, _ value: UnsafeRawBufferPointer) {
            if result.count > 1 { result.append(UInt8(ascii: ",")) }
            result.append(UInt8(ascii: "\""))
            result.append(contentsOf: bytes[name])
            result.append(contentsOf: "\":".utf8)
            result.append(contentsOf: value)
        }
        for member in old.members {
            if !unset.isEmpty, unset.contains(old.unescapedName(member)) { continue }
            let name = UnsafeRawBufferPointer(rebasing: base[member.name])
            if let new, let index = new.position(named: name),
                kept.isEmpty || !kept.contains(old.unescapedName(member))
            {
                append(base, name: member.name, UnsafeRawBufferPointer(rebasing: fields[new.members[index].value]))
            } else {
                append(base, name: member.name, UnsafeRawBufferPointer(rebasing: base[member.value]))
            }
        }
        if let new {
            for member in new.members {
                let name = UnsafeRawBufferPointer(rebasing: fields[member.name])
                if old.position(named: name) != nil || unset.contains(new.unescapedName(member)) { continue }
                if !kept.isEmpty, kept.contains(new.unescapedName(member)) { continue }
                append(fields, name: member.name, UnsafeRawBufferPointer(rebasing: fields[member.value]))
            }
        }
        result.append(UInt8(ascii: "}"))
        return result
    }
}

/// One merge under way. The nesting that the wire accepts bounds the recursion.
private struct ObjectMerge {
    let base: UnsafeRawBufferPointer
    let incoming: UnsafeRawBufferPointer
    let noMergeFields: Set<[UInt8]>
    var result: [UInt8] = []

    init(base: UnsafeRawBufferPointer, incoming: UnsafeRawBufferPointer, noMergeFields: Set<[UInt8]>) {
        self.base = base
        self.incoming = incoming
        self.noMergeFields = noMergeFields
        result.reserveCapacity(base.count + incoming.count)
    }

    mutating func append(base baseRange: Range<Int>, incoming incomingRange: Range<Int>, keepsIdentity: Bool) {
        let old = JSONObject(base, range: baseRange)
        let new = JSONObject(incoming, range: incomingRange)
        let keepsUUID = keepsIdentity && isStoredUnderUUID(old)
        var isTaken = [Bool](repeating: false, count: new.members.count)
        result.append(UInt8(ascii: "{"))
        for member in old.members {
            let name = UnsafeRawBufferPointer(rebasing: base[member.name])
            appendName(name)
            guard let index = new.position(named: name) else {
                append(base, member.value)
                continue
            }
            isTaken[index] = true
            if keepsIdentity, isNamed("id", name) || keepsUUID && isNamed("uuid", name) {
                append(base, member.value)
            } else {
                appendValue(old: old, member, incoming: new.members[index].value)
            }
        }
        for (index, member) in new.members.enumerated() where !isTaken[index] {
            let name = UnsafeRawBufferPointer(rebasing: incoming[member.name])
            // An entity found by an alternate id and stored under `uuid` must not gain the other `id`: its identity
            // would change.
            if keepsIdentity, isNamed("id", name) { continue }
            appendName(name)
            append(incoming, member.value)
        }
        result.append(UInt8(ascii: "}"))
    }

    private mutating func appendValue(old: JSONObject, _ member: JSONObject.Member, incoming range: Range<Int>) {
        let bothObjects =
            base[member.value.lowerBound] == UInt8(ascii: "{") && incoming[range.lowerBound] == UInt8(ascii: "{")
        guard bothObjects, noMergeFields.isEmpty || !noMergeFields.contains(old.unescapedName(member)),
            !areDifferentTags(base: member.value, incoming: range),
            !Merge.isReference(base, member.value), !Merge.isReference(incoming, range)
        else { return append(incoming, range) }
        append(base: member.value, incoming: range, keepsIdentity: false)
    }

    /// Returns true if two objects are different cases of one enum, such as `{"Physical":…}` and `{"Content":…}`. The
    /// new one then replaces the old one.
    private func areDifferentTags(base baseRange: Range<Int>, incoming incomingRange: Range<Int>) -> Bool {
        guard let oldTag = tag(base, baseRange), let newTag = tag(incoming, incomingRange) else { return false }
        return oldTag != newTag
    }

    /// Returns the name of an object's only member if it begins with an ASCII capital letter; nil otherwise.
    private func tag(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> [UInt8]? {
        let object = JSONObject(bytes, range: range)
        guard object.members.count == 1 else { return nil }
        let name = object.unescapedName(object.members[0])
        guard let first = name.first, first >= UInt8(ascii: "A"), first <= UInt8(ascii: "Z") else { return nil }
        return name
    }

    /// Returns true if an entity is stored under its `uuid` member, because `id` is absent or null.
    private func isStoredUnderUUID(_ object: JSONObject) -> Bool {
        guard let id = object.value(named: "id") else { return true }
        return base[id.lowerBound] == UInt8(ascii: "n")
    }

    private func isNamed(_ wanted: StaticString, _ name: UnsafeRawBufferPointer) -> Bool {
        JSONText.areEqual(
            UnsafeRawBufferPointer(start: wanted.utf8Start, count: wanted.utf8CodeUnitCount), name)
    }

    private mutating func appendName(_ name: UnsafeRawBufferPointer) {
        if result.last != UInt8(ascii: "{") { result.append(UInt8(ascii: ",")) }
        result.append(UInt8(ascii: "\""))
        result.append(contentsOf: name)
        result.append(UInt8(ascii: "\""))
        result.append(UInt8(ascii: ":"))
    }

    private mutating func append(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        result.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes[range]))
    }
}
