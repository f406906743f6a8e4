import TidemarkJSON

/// The top-level members in which two versions of a resource differ, found in one walk over both. Readers of many
/// values then look only at those that may have changed.
package struct MemberDifference: Sendable {
    /// The names of the members; nil if the versions are laid out too differently to tell.
    private let names: [[UInt8]]?

    /// A difference of which nothing is known.
    package static let unknown = MemberDifference(names: nil)

    private init(names: [[UInt8]]?) { self.names = names }

    /// Compares two versions of a resource: each one validated value without insignificant white space.
    ///
    /// - Complexity: O(old.count + new.count).
    package init(_ old: [UInt8], _ new: [UInt8]) {
        names = old.withUnsafeBytes { old in new.withUnsafeBytes { MemberDifference.names(old, $0) } }
    }

    /// Returns false if both versions have the same bytes at a pointer, or both nothing. True says nothing.
    package func mayConcern(_ pointer: RulePointer) -> Bool {
        guard let names, let first = pointer.tokens.first else { return true }
        return names.contains { $0 == first.name }
    }

    /// Walks over both as long as they have the same names in the same order. Names with escapes end that, since one
    /// name has many spellings; a repeated name counts as changed if any of its values is.
    private static func names(_ old: UnsafeRawBufferPointer, _ new: UnsafeRawBufferPointer) -> [[UInt8]]? {
        guard old.first == UInt8(ascii: "{"), new.first == UInt8(ascii: "{") else { return nil }
        var changed: [[UInt8]] = []
        var (left, right) = (MemberWalk(old), MemberWalk(new))
        while true {
            let (first, second) = (left.next(), right.next())
            if left.isEscaped || right.isEscaped { return nil }
            guard let name = first?.name ?? second?.name else { return changed }
            guard let first else {
                changed.append(Array(new[name]))
                continue
            }
            guard let second else {
                changed.append(Array(old[name]))
                continue
            }
            guard equal(old[first.name], new[second.name]) else { return nil }
            if !equal(old[first.value], new[second.value]) { changed.append(Array(old[name])) }
        }
    }

    private static func equal(_ left: Slice<UnsafeRawBufferPointer>, _ right: Slice<UnsafeRawBufferPointer>) -> Bool {
        JSONText.haveEqualBytes(UnsafeRawBufferPointer(rebasing: left), UnsafeRawBufferPointer(rebasing: right))
    }
}

/// The members of an object, one after the other.
private struct MemberWalk {
    private let bytes: UnsafeRawBufferPointer
    private var at = 1
    /// True if the last name has escapes.
    private(set) var isEscaped = false

    init(_ bytes: UnsafeRawBufferPointer) { self.bytes = bytes }

    /// Returns where the next name is, without quotes, and its value; nil behind the last one.
    mutating func next() -> (name: Range<Int>, value: Range<Int>)? {
        guard at < bytes.count, bytes[at] != UInt8(ascii: "}") else { return nil }
        let end = RulePointer.Token.stringEnd(bytes, at: at, &isEscaped)
        let start = end + 2
        let name = at + 1..<end
        at = RulePointer.Token.valueEnd(bytes, at: start)
        let value = start..<at
        if at < bytes.count, bytes[at] == UInt8(ascii: ",") { at += 1 }
        return (name, value)
    }
}
