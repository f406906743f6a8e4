/// A resource whose top-level members are located once, for many pointers and rules.
///
/// It does not own the bytes: use it only inside the closure that lends them.
package struct ResourceView {
    let bytes: UnsafeRawBufferPointer
    private let outline: MemberOutline

    /// Locates the members of a resource.
    ///
    /// - Parameter bytes: One validated value without insignificant white space.
    /// - Complexity: O(bytes.count).
    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        outline = MemberOutline(bytes)
    }

    /// Returns the range of the value at a pointer; nil if there is none.
    ///
    /// - Complexity: O(members), plus O(the value that the first token leads to).
    func value(at pointer: RulePointer) -> Range<Int>? { outline.value(at: pointer, in: bytes) }
}
