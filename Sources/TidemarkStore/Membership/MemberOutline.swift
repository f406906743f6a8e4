import TidemarkJSON

/// Where the top-level members of a resource are, found in one walk: readers of many values then compare names only.
package struct MemberOutline: Sendable {
    struct Member: Sendable {
        /// The first bytes of the name as written, see ``MemberOutline/prefix(of:in:)``.
        let prefix: UInt64
        fileprivate let nameStart: UInt32
        fileprivate let nameEnd: UInt32
        fileprivate let valueStart: UInt32
        fileprivate let valueEnd: UInt32

        /// The range of the name between its quotes, as written.
        var name: Range<Int> { Int(nameStart)..<Int(nameEnd) }

        var value: Range<Int> { Int(valueStart)..<Int(valueEnd) }
    }

    /// The members in order, repeated ones included; empty if the resource is no object.
    private(set) var members: [Member] = []
    /// True if a name has escapes, so that one name may have several spellings.
    private(set) var hasEscapedNames = false
    private let isObject: Bool

    /// Locates the members of a resource.
    ///
    /// - Parameter bytes: One validated value without insignificant white space, at most 4 GiB.
    /// - Complexity: O(bytes.count).
    package init(_ bytes: UnsafeRawBufferPointer) {
        isObject = bytes.first == UInt8(ascii: "{")
        guard isObject else { return }
        members.reserveCapacity(MemberOutline.memberCountTypical)
        var at = 1
        while at < bytes.count, bytes[at] != UInt8(ascii: "}") {
            let end = RulePointer.Token.stringEnd(bytes, at: at, &hasEscapedNames)
            let start = end + 2
            let next = RulePointer.Token.valueEnd(bytes, at: start)
            members.append(
                Member(
                    prefix: MemberOutline.prefix(of: at + 1..<end, in: bytes),
                    nameStart: UInt32(at + 1), nameEnd: UInt32(end), valueStart: UInt32(start), valueEnd: UInt32(next)))
            at = next
            if at < bytes.count, bytes[at] == UInt8(ascii: ",") { at += 1 }
        }
    }

    /// Enough for most resources, so that the array rarely grows.
    private static let memberCountTypical = 16

    /// Returns the value of the last member with a token's name; nil if there is none.
    ///
    /// - Parameter bytes: The resource.
    func value(named token: RulePointer.Token, in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        guard !hasEscapedNames else {
            let found = members.last { member in
                JSONText.isSpelling(UnsafeRawBufferPointer(rebasing: bytes[member.name]), of: token.name)
            }
            return found?.value
        }
        for member in members.reversed()
        where member.prefix == token.prefix && Int(member.nameEnd - member.nameStart) == token.name.count {
            if token.name.count <= 8 || MemberOutline.isEqual(token.name, bytes, member.name) { return member.value }
        }
        return nil
    }

    /// Returns the range of the value at a pointer; nil if there is none.
    ///
    /// - Parameter bytes: The resource.
    /// - Complexity: O(members), plus O(the value that the first token leads to).
    package func value(at pointer: RulePointer, in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        guard let first = pointer.tokens.first else { return 0..<bytes.count }
        guard isObject else { return pointer.value(in: bytes) }
        guard let value = value(named: first, in: bytes) else { return nil }
        return pointer.tokens.count == 1 ? value : pointer.value(in: bytes, from: value, tokensFrom: 1)
    }

    private static func isEqual(_ name: [UInt8], _ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) -> Bool {
        name.withUnsafeBytes { JSONText.haveEqualBytes($0, UnsafeRawBufferPointer(rebasing: bytes[range])) }
    }

    /// The first eight bytes of a name as a number; a shorter one is filled up with zeros. Two names of one length up
    /// to eight bytes are equal if these are.
    static func prefix(of name: Range<Int>, in bytes: UnsafeRawBufferPointer) -> UInt64 {
        if name.lowerBound + 8 <= bytes.count {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: name.lowerBound, as: UInt64.self))
            return name.count >= 8 ? word : word & (1 << UInt64(name.count * 8) - 1)
        }
        var prefix: UInt64 = 0
        for (place, byte) in bytes[name].enumerated() { prefix |= UInt64(byte) << UInt64(place * 8) }
        return prefix
    }
}
