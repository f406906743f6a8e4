/// A resource whose top-level members are located when the first of its values is read, once for all of them.
///
/// Unlike ``ResourceView`` it owns its bytes. It belongs to one task.
package final class OutlinedResource {
    /// One validated value without insignificant white space.
    package let bytes: [UInt8]
    private var known: MemberOutline?

    /// Keeps a resource; its members are located later.
    ///
    /// - Parameter bytes: One validated value without insignificant white space. Kept, not copied.
    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// The places of the resource's top-level members, located at the first call.
    var outline: MemberOutline {
        if let known { return known }
        let outline = bytes.withUnsafeBytes { MemberOutline($0) }
        known = outline
        return outline
    }

    /// Returns the range of the value at a pointer; nil if there is none.
    ///
    /// - Complexity: O(bytes) for the first one, then O(members) and O(the value that the first token leads to).
    package func range(at pointer: RulePointer) -> Range<Int>? {
        bytes.withUnsafeBytes { outline.value(at: pointer, in: $0) }
    }
}
