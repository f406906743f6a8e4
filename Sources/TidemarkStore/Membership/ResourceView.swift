import TidemarkJSON

/// A resource whose top-level members are located once, for many pointers and rules.
///
/// It does not own the bytes: use it only inside the closure that lends them.
package struct ResourceView {
    private struct Member {
        /// The range of the name between its quotes, as written.
        var name: Range<Int>
        var value: Range<Int>
    }

    let bytes: UnsafeRawBufferPointer
    /// The members in order, repeated ones included; empty if the resource is not an object.
    private var members: [Member] = []

    /// Locates the members of a resource.
    ///
    /// - Parameter bytes: One validated value without insignificant white space.
    /// - Complexity: O(bytes.count).
    package init(_ bytes: UnsafeRawBufferPointer) {
        self.bytes = bytes
        var cursor = JSONCursor(bytes)
        guard cursor.byte == UInt8(ascii: "{") else { return }
        members.reserveCapacity(ResourceView.memberCountTypical)
        cursor.step()
        while cursor.byte != UInt8(ascii: "}") {
            let name = cursor.string()
            cursor.step()
            members.append(Member(name: name, value: cursor.value()))
            if cursor.byte == UInt8(ascii: ",") { cursor.step() }
        }
    }

    /// Enough for most resources, so that the array rarely grows.
    private static let memberCountTypical = 32

    /// Returns the value of the last member with a name; nil if there is none.
    ///
    /// - Parameter name: The name without escapes.
    func value(named name: [UInt8]) -> Range<Int>? {
        for member in members.reversed()
        where JSONText.isSpelling(UnsafeRawBufferPointer(rebasing: bytes[member.name]), of: name) {
            return member.value
        }
        return nil
    }

    /// Returns the range of the value at a pointer; nil if there is none.
    ///
    /// - Complexity: O(members), plus O(the value that the first token leads to).
    func value(at pointer: RulePointer) -> Range<Int>? {
        guard let first = pointer.tokens.first else { return 0..<bytes.count }
        guard bytes.first == UInt8(ascii: "{") else { return pointer.value(in: bytes) }
        return value(named: first.name).flatMap { pointer.value(in: bytes, from: $0, tokensFrom: 1) }
    }
}
