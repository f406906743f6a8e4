import TidemarkJSON

/// The top-level members in which two versions of a resource differ, found in one walk over both. Readers of many
/// values then look only at those that may have changed.
package struct MemberDifference: Sendable {
    /// The names of the members; nil if the versions are laid out too differently to tell.
    private let names: [[UInt8]]?

    /// A difference of which nothing is known.
    package static let unknown = MemberDifference(names: nil)

    private init(names: [[UInt8]]?) { self.names = names }

    /// Compares two versions of a resource.
    ///
    /// - Complexity: O(old.bytes.count + new.bytes.count).
    package init(_ old: OutlinedResource, _ new: OutlinedResource) {
        names = old.bytes.withUnsafeBytes { oldBytes in
            new.bytes.withUnsafeBytes { MemberDifference.names(oldBytes, old.outline, $0, new.outline) }
        }
    }

    /// Returns false if both versions have the same bytes at a pointer, or both nothing. True says nothing.
    package func mayConcern(_ pointer: RulePointer) -> Bool {
        guard let names, let first = pointer.tokens.first else { return true }
        return names.contains { $0 == first.name }
    }

    /// Walks over both as long as they have the same names in the same order. Names with escapes end that, since one
    /// name has many spellings; a repeated name counts as changed if any of its values is.
    private static func names(
        _ old: UnsafeRawBufferPointer, _ oldOutline: MemberOutline, _ new: UnsafeRawBufferPointer,
        _ newOutline: MemberOutline
    ) -> [[UInt8]]? {
        guard old.first == UInt8(ascii: "{"), new.first == UInt8(ascii: "{") else { return nil }
        guard !oldOutline.hasEscapedNames, !newOutline.hasEscapedNames else { return nil }
        var changed: [[UInt8]] = []
        let commonCount = min(oldOutline.members.count, newOutline.members.count)
        for index in 0..<commonCount {
            let (first, second) = (oldOutline.members[index], newOutline.members[index])
            guard first.prefix == second.prefix, equal(old[first.name], new[second.name]) else { return nil }
            if !equal(old[first.value], new[second.value]) { changed.append(Array(old[first.name])) }
        }
        for member in oldOutline.members[commonCount...] { changed.append(Array(old[member.name])) }
        for member in newOutline.members[commonCount...] { changed.append(Array(new[member.name])) }
        return changed
    }

    private static func equal(_ left: Slice<UnsafeRawBufferPointer>, _ right: Slice<UnsafeRawBufferPointer>) -> Bool {
        JSONText.haveEqualBytes(UnsafeRawBufferPointer(rebasing: left), UnsafeRawBufferPointer(rebasing: right))
    }
}
