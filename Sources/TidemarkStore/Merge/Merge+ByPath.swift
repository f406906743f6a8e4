import TidemarkJSON
import TidemarkModel

/// Merges fields into stored entities by path, as the responses to documents are stored.
extension Merge {
    /// Merges fields into a stored object: an embedded object is merged into a stored one of the same type, and
    /// anything else replaces what is stored.
    ///
    /// Two objects count as the same type if either has no `__typename`. A reference is never merged.
    ///
    /// - Parameters:
    ///   - fields: A validated object without insignificant white space.
    ///   - base: The stored object, in the same form.
    ///   - kept: The paths that stay as they are stored, with everything below them.
    /// - Returns: The merged object, and the fields that were written.
    /// - Complexity: O((base.count + fields.count) · nesting).
    /// - Source: Protocol/graphql.md, what is stored.
    package static func byPath(
        _ fields: UnsafeRawBufferPointer, into base: UnsafeRawBufferPointer, keeping kept: Set<ByteString> = []
    ) -> (resource: [UInt8], written: WrittenFields) {
        var merge = PathMerge(base: base, incoming: fields, kept: kept)
        merge.append(base: 0..<base.count, incoming: 0..<fields.count, path: [])
        return (merge.result, merge.written)
    }

    /// Returns true if a merge by path would leave exactly `fields`: they have the names of the stored object, in its
    /// order, and no embedded object to merge.
    ///
    /// Most repeated responses to a document are of this kind.
    ///
    /// - Complexity: O(both).
    static func covers(_ fields: UnsafeRawBufferPointer, _ base: UnsafeRawBufferPointer) -> Bool {
        var new = JSONCursor(fields, at: 1)
        var old = JSONCursor(base, at: 1)
        while new.byte != UInt8(ascii: "}"), old.byte != UInt8(ascii: "}") {
            let name = new.string()
            let known = old.string()
            let isEqual = JSONText.haveEqualBytes(
                UnsafeRawBufferPointer(rebasing: fields[name]), UnsafeRawBufferPointer(rebasing: base[known]))
            guard isEqual else { return false }
            new.step()
            old.step()
            let value = new.value()
            _ = old.value()
            if fields[value.lowerBound] == UInt8(ascii: "{"), !isReference(fields, value) { return false }
            if new.byte == UInt8(ascii: ",") { new.step() }
            if old.byte == UInt8(ascii: ",") { old.step() }
        }
        return new.byte == old.byte
    }

    /// Returns true if a value is a reference: an object that begins with `{"__ref":"`.
    static func isReference(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        let prefix: StaticString = #"{"__ref":""#
        guard range.count > prefix.utf8CodeUnitCount else { return false }
        let start = UnsafeRawBufferPointer(
            rebasing: bytes[range.lowerBound..<range.lowerBound + prefix.utf8CodeUnitCount])
        return JSONText.haveEqualBytes(
            start, UnsafeRawBufferPointer(start: prefix.utf8Start, count: prefix.utf8CodeUnitCount))
    }
}

/// One merge by path under way. The nesting of stored resources bounds the recursion.
private struct PathMerge {
    let base: UnsafeRawBufferPointer
    let incoming: UnsafeRawBufferPointer
    let kept: Set<ByteString>
    var result: [UInt8] = []
    var written = WrittenFields([])

    init(base: UnsafeRawBufferPointer, incoming: UnsafeRawBufferPointer, kept: Set<ByteString>) {
        self.kept = kept
        self.base = base
        self.incoming = incoming
        result.reserveCapacity(base.count + incoming.count)
    }

    mutating func append(base baseRange: Range<Int>, incoming incomingRange: Range<Int>, path: [UInt8]) {
        let old = JSONObject(base, range: baseRange)
        let new = JSONObject(incoming, range: incomingRange)
        var isTaken = [Bool](repeating: false, count: new.members.count)
        result.append(UInt8(ascii: "{"))
        for member in old.members {
            appendName(base, member.name)
            guard let index = new.position(named: UnsafeRawBufferPointer(rebasing: base[member.name])) else {
                result.append(contentsOf: base[member.value])
                noteKept(path + old.unescapedName(member), in: path)
                continue
            }
            isTaken[index] = true
            let name = path + new.unescapedName(new.members[index])
            let value = new.members[index].value
            if keeps(name, orBelow: !isMergeable(member.value, value)) {
                result.append(contentsOf: base[member.value])
                noteKept(name, in: path)
            } else if isMergeable(member.value, value) {
                written.noteMerged(ByteString(name))
                append(base: member.value, incoming: value, path: name + [0])
            } else {
                result.append(contentsOf: incoming[value])
                written.noteWhole(ByteString(name))
            }
        }
        for (index, member) in new.members.enumerated() where !isTaken[index] {
            // The member is not stored but is to stay as stored: it was removed in the meantime, and stays removed.
            if keeps(path + new.unescapedName(member), orBelow: false) { continue }
            appendName(incoming, member.name)
            result.append(contentsOf: incoming[member.value])
            written.noteWhole(ByteString(path + new.unescapedName(member)))
        }
        result.append(UInt8(ascii: "}"))
    }

    /// Records a member that stays as stored. Top-level members are left out, because their dates do not change.
    private mutating func noteKept(_ name: [UInt8], in path: [UInt8]) {
        guard !path.isEmpty, !name.dropFirst(path.count).elementsEqual("__typename".utf8) else { return }
        written.noteKept(ByteString(name))
    }

    /// Returns true if a path stays as it is stored.
    ///
    /// - Parameter orBelow: True if the path also stays when some path below it does.
    private func keeps(_ path: [UInt8], orBelow: Bool) -> Bool {
        guard !kept.isEmpty else { return false }
        return kept.contains(ByteString(path))
            || orBelow && kept.contains { $0.bytes.count > path.count && $0.bytes.starts(with: path + [0]) }
    }

    private func isMergeable(_ old: Range<Int>, _ new: Range<Int>) -> Bool {
        guard base[old.lowerBound] == UInt8(ascii: "{"), incoming[new.lowerBound] == UInt8(ascii: "{"),
            !Merge.isReference(base, old), !Merge.isReference(incoming, new)
        else { return false }
        guard let oldType = typename(base, old), let newType = typename(incoming, new) else { return true }
        return oldType == newType
    }

    private func typename(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> [UInt8]? {
        let object = JSONObject(bytes, range: range)
        return object.value(named: "__typename").map { Array(bytes[$0]) }
    }

    private mutating func appendName(_ bytes: UnsafeRawBufferPointer, _ name: Range<Int>) {
        if result.last != UInt8(ascii: "{") { result.append(UInt8(ascii: ",")) }
        result.append(UInt8(ascii: "\""))
        result.append(contentsOf: bytes[name])
        result.append(UInt8(ascii: "\""))
        result.append(UInt8(ascii: ":"))
    }
}
