import TidemarkJSON
import TidemarkModel

/// Finds the smallest changes inside a JSON value.
enum ValueDifference {
    /// Appends the operations that turn one value into another. Objects are changed inside, as deep as can be; anything
    /// else is replaced whole.
    ///
    /// - Complexity: O(old.count + new.count).
    static func append(_ old: [UInt8], _ new: [UInt8], at path: [UInt8], to operations: inout [ViewPatchOperation]) {
        guard !ByteOrder.equal(old, new) else { return }
        old.withUnsafeBytes { left in
            new.withUnsafeBytes { right in
                append(
                    ByteValue(left, 0..<left.count), ByteValue(right, 0..<right.count), at: path, to: &operations)
            }
        }
    }

    /// A value inside lent bytes.
    private struct ByteValue {
        let bytes: UnsafeRawBufferPointer
        let range: Range<Int>

        init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
            self.bytes = bytes
            self.range = range
        }

        var first: UInt8 { bytes[range.lowerBound] }

        var written: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: bytes[range]) }

        var text: [UInt8] { Array(bytes[range]) }

        /// The text of a string, without escapes.
        var unescaped: [UInt8] {
            JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[range].dropFirst().dropLast()))
        }

        /// The members of an object by name; of repeated ones the last.
        var members: [(name: [UInt8], value: ByteValue)] {
            let object = JSONObject(bytes, range: range)
            return object.members.map { (object.unescapedName($0), ByteValue(bytes, $0.value)) }
        }

        var elements: [ByteValue] {
            var elements: [ByteValue] = []
            JSONElements.forEach(range, of: bytes) { elements.append(ByteValue(bytes, $0)) }
            return elements
        }
    }

    private static func append(
        _ old: ByteValue, _ new: ByteValue, at path: [UInt8], to operations: inout [ViewPatchOperation]
    ) {
        guard old.first == UInt8(ascii: "{"), new.first == UInt8(ascii: "{") else {
            if !looksEqual(old, new) { operations.append(.replace(path: path, value: new.text)) }
            return
        }
        if JSONText.haveEqualBytes(old.written, new.written) { return }
        if appendAlike(old, new, at: path, to: &operations) { return }
        let former = Dictionary(old.members.map { ($0.name, $0.value) }) { _, last in last }
        let members = new.members
        let names = Set(members.map(\.name))
        for member in old.members where !names.contains(member.name) {
            operations.append(.remove(path: PatchPath.member(path, member.name)))
        }
        for member in members {
            let inner = PatchPath.member(path, member.name)
            if let value = former[member.name] {
                append(value, member.value, at: inner, to: &operations)
            } else {
                operations.append(.add(path: inner, value: member.value.text))
            }
        }
    }

    /// Appends the changes between objects that have the same members in the same order, as two versions of a row
    /// usually do: they are read side by side, and nothing is copied of what stays.
    ///
    /// - Returns: False if they have not, or if a name is escaped or repeated; nothing is appended then.
    private static func appendAlike(
        _ old: ByteValue, _ new: ByteValue, at path: [UInt8], to operations: inout [ViewPatchOperation]
    ) -> Bool {
        var (left, right) = (
            JSONCursor(old.bytes, at: old.range.lowerBound), JSONCursor(new.bytes, at: new.range.lowerBound)
        )
        let end = UInt8(ascii: "}")
        var changed: [(name: UnsafeRawBufferPointer, old: ByteValue, new: ByteValue)] = []
        var names: [UnsafeRawBufferPointer] = []
        left.step()
        right.step()
        while left.byte != end, right.byte != end {
            var isEscaped = false
            let name = UnsafeRawBufferPointer(rebasing: old.bytes[left.string(isEscaped: &isEscaped)])
            let other = UnsafeRawBufferPointer(rebasing: new.bytes[right.string()])
            guard !isEscaped, names.count < alikeCountMax, JSONText.haveEqualBytes(name, other),
                !names.contains(where: { JSONText.haveEqualBytes($0, name) })
            else { return false }
            names.append(name)
            left.step()
            right.step()
            let (former, current) = (ByteValue(old.bytes, left.value()), ByteValue(new.bytes, right.value()))
            if !JSONText.haveEqualBytes(former.written, current.written) { changed.append((name, former, current)) }
            if left.byte != end { left.step() }
            if right.byte != end { right.step() }
        }
        guard left.byte == end, right.byte == end else { return false }
        for member in changed {
            append(member.old, member.new, at: PatchPath.member(path, Array(member.name)), to: &operations)
        }
        return true
    }

    /// The most members of objects that are read side by side: their names are compared with one another.
    private static let alikeCountMax = 32

    /// Returns true if two values look the same to readers: the spelling of numbers counts, that of strings and the
    /// order of members do not.
    private static func looksEqual(_ left: ByteValue, _ right: ByteValue) -> Bool {
        if JSONText.haveEqualBytes(left.written, right.written) { return true }
        guard left.first == right.first else { return false }
        switch left.first {
        case UInt8(ascii: "\""): return left.unescaped == right.unescaped
        case UInt8(ascii: "["):
            let (former, current) = (left.elements, right.elements)
            return former.count == current.count && zip(former, current).allSatisfy { looksEqual($0, $1) }
        case UInt8(ascii: "{"):
            let former = Dictionary(left.members.map { ($0.name, $0.value) }) { _, last in last }
            let current = right.members
            return former.count == current.count
                && current.allSatisfy { member in former[member.name].map { looksEqual($0, member.value) } ?? false }
        default: return false
        }
    }
}
