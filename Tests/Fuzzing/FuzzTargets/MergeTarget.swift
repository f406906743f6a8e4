import TidemarkJSON
import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore

/// Merging and replacing fields: a byte of choices, then lines of base, incoming resource and names that are replaced.
///
/// Both give the result of the reference, which is JSON that the store can scan, and repeating them changes nothing.
enum MergeTarget {
    static let target = FuzzTarget("merge", byteCountMax: 2_048, .now(check))

    private static func check(_ bytes: [UInt8]) throws {
        let lines = bytes.dropFirst().split(separator: 0x0A, omittingEmptySubsequences: false).map { Array($0) }
        guard lines.count >= 2, let base = object(lines[0]), let incoming = object(lines[1]) else { return }
        // A stored resource always has an id.
        let isStored = base.presentMember("id") != nil || base.presentMember("uuid") != nil
        let keepsIdentity = isStored && bytes.first.map { $0 & 1 == 1 } ?? false
        let names = Set(lines.dropFirst(2).prefix(8))
        try merge(incoming, into: base, names, keepsIdentity: keepsIdentity)
        try assign(incoming, into: base, unset: names)
    }

    /// Returns a line as JSON if the wire would accept it.
    private static func object(_ line: [UInt8]) -> ReferenceJSON? {
        guard ReferenceUTF8.isValid(line) else { return nil }
        do throws(ReferenceJSONError) {
            let value = try ReferenceJSONParser.parse(line)
            return value.members == nil ? nil : value
        } catch {
            return nil
        }
    }

    private static func merge(
        _ incoming: ReferenceJSON, into base: ReferenceJSON, _ noMerge: Set<[UInt8]>, keepsIdentity: Bool
    ) throws {
        guard let members = base.members, let others = incoming.members else { return }
        var frozen: Set<[UInt8]> = []
        if keepsIdentity {
            frozen = [Array("id".utf8)]
            if base.presentMember("id") == nil { frozen.insert(Array("uuid".utf8)) }
        }
        let reference = ReferenceMerge(noMergeFields: noMerge)
        let wanted = ReferenceJSON.object(reference.merge(members, with: others, frozen: frozen))
        let merged = bytes(incoming, base) {
            Merge.merged($0, into: $1, noMergeFields: noMerge, keepsIdentity: keepsIdentity)
        }
        try requireEqual(merged.text, wanted.description, "\(incoming) merged into \(base)")
        try requireIsWhole(merged)
        let again = bytes(incoming, try ReferenceJSONParser.parse(merged, nestingMax: 128)) {
            Merge.merged($0, into: $1, noMergeFields: noMerge, keepsIdentity: keepsIdentity)
        }
        try requireEqual(
            collapsed(try ReferenceJSONParser.parse(again, nestingMax: 128)).description,
            collapsed(wanted).description, "\(incoming) merged once more into \(merged.text)")
    }

    private static func assign(_ fields: ReferenceJSON, into base: ReferenceJSON, unset: Set<[UInt8]>) throws {
        let assigned = bytes(fields, base) { Merge.assigned($0, into: $1, unset: unset) }
        var members: [ReferenceMember] = []
        for member in (base.members ?? []) + (fields.members ?? []) {
            if let index = members.firstIndex(where: { $0.key.unescaped == member.key.unescaped }) {
                members[index].value = member.value
            } else {
                members.append(member)
            }
        }
        members.removeAll { unset.contains($0.key.unescaped) }
        let wanted = ReferenceJSON.object(members)
        try requireEqual(assigned.text, wanted.description, "\(fields) put into \(base)")
        try requireIsWhole(assigned)
        let again = bytes(fields, wanted) { Merge.assigned($0, into: $1, unset: unset) }
        try requireEqual(again.text, assigned.text, "\(fields) put once more into \(base)")
    }

    private static func requireIsWhole(_ json: [UInt8]) throws {
        try require(CompactJSON.isObject(json), "no object that can be walked: \(json.text)")
        try requireEqual(
            try ReferenceJSONParser.parse(json, nestingMax: 128).description, json.text, "what was parsed, written")
    }

    private static func bytes(
        _ left: ReferenceJSON, _ right: ReferenceJSON,
        _ body: (UnsafeRawBufferPointer, UnsafeRawBufferPointer) -> [UInt8]
    ) -> [UInt8] {
        left.written.withUnsafeBytes { left in right.written.withUnsafeBytes { body(left, $0) } }
    }

    /// Returns a value without the members that a later one of their name covers, at any depth: merging may drop those.
    private static func collapsed(_ value: ReferenceJSON) -> ReferenceJSON {
        switch value {
        case .array(let elements): return .array(elements.map(collapsed))
        case .object(let members):
            var result: [ReferenceMember] = []
            for member in members {
                let value = collapsed(member.value)
                if let index = result.firstIndex(where: { $0.key.unescaped == member.key.unescaped }) {
                    result[index].value = value
                } else {
                    result.append(ReferenceMember(key: member.key, value: value))
                }
            }
            return .object(result)
        default: return value
        }
    }
}
