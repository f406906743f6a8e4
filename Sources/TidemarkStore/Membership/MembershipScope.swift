import TidemarkJSON

/// The directory that must contain a resource for it to be in a list.
struct MembershipScope: Sendable {
    let directory: ScopePath
    let isRecursive: Bool
    /// Where a resource has its path.
    let pointer: RulePointer

    static let defaultPointer = RulePointer(member: "sd_path")
    static let alternatesPointer = RulePointer(member: "alternate_paths")

    /// Returns true if one of the resource's paths is in the directory.
    ///
    /// - Complexity: O(members), plus the paths.
    func matches(_ resource: ResourceView) -> Bool {
        var matches = false
        MembershipScope.forEachPath(of: resource, at: pointer) { path in
            if directory.holds(path, isRecursive: isRecursive) { matches = true }
        }
        return matches
    }

    /// Calls `body` with the path at a pointer, then with each of the alternate paths. Values that are not paths are
    /// skipped.
    static func forEachPath(
        of resource: ResourceView, at pointer: RulePointer, _ body: (ScopePath) -> Void
    ) {
        if let value = resource.value(at: pointer), let path = ScopePath(value, of: resource.bytes) { body(path) }
        forEachAlternate(of: resource, body)
    }

    /// Calls `body` with each of the alternate paths. Values that are not paths are skipped.
    static func forEachAlternate(of resource: ResourceView, _ body: (ScopePath) -> Void) {
        guard let alternates = resource.value(at: alternatesPointer),
            resource.bytes[alternates.lowerBound] == UInt8(ascii: "[")
        else { return }
        var cursor = JSONCursor(resource.bytes, at: alternates.lowerBound + 1)
        while cursor.byte != UInt8(ascii: "]") {
            if let path = ScopePath(cursor.value(), of: resource.bytes) { body(path) }
            if cursor.byte == UInt8(ascii: ",") { cursor.step() }
        }
    }
}
