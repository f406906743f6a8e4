import TidemarkJSON
import TidemarkModel
import TidemarkStore

/// Scans objects in a stored resource, which is compact JSON that was validated when it was stored.
///
/// - Complexity: O(bytes) to open an object. Its values are skipped, not read.
struct StoredScan {
    struct Member {
        /// The name between the quotes, as written.
        var name: Range<Int>
        var value: Range<Int>
    }

    /// Opens the object at a position. Of members with one name the last value counts.
    ///
    /// - Parameter members: Receives the members, each name once.
    static func open(_ object: Range<Int>, of bytes: UnsafeRawBufferPointer, into members: inout MemberStack) {
        let base = members.count
        // One bit for each name: only a name whose bit is already set can be a repeated one.
        var seen: UInt64 = 0
        var isEscaped = false
        var at = object.lowerBound + 1
        while at < object.upperBound - 1 {
            let name = string(bytes, at, &isEscaped)
            at = name.upperBound + 2
            let value = at..<end(bytes, at)
            at = value.upperBound + 1
            let bit = StoredScan.bit(of: name, of: bytes)
            if seen & bit != 0 || isEscaped, let known = repeated(name, members, base..<members.count, of: bytes) {
                members[known].value = value
            } else {
                members.append(Member(name: name, value: value))
            }
            seen |= bit
        }
    }

    @inline(__always)
    private static func bit(of name: Range<Int>, of bytes: UnsafeRawBufferPointer) -> UInt64 {
        guard !name.isEmpty else { return 1 }
        let parts =
            UInt32(bytes[name.lowerBound]) << 16 | UInt32(bytes[name.upperBound - 1]) << 8
            | UInt32(truncatingIfNeeded: name.count) & 0xFF
        return 1 << (UInt64(parts &* 0x9E37_79B1) >> 26)
    }

    private static func repeated(
        _ name: Range<Int>, _ members: borrowing MemberStack, _ range: Range<Int>, of bytes: UnsafeRawBufferPointer
    ) -> Int? {
        let wanted = UnsafeRawBufferPointer(rebasing: bytes[name])
        guard wanted.contains(UInt8(ascii: "\\")) else {
            for index in range where isName(members[index].name, wanted, of: bytes) { return index }
            return nil
        }
        let text = JSONText.unescaped(wanted)
        for index in range
        where JSONText.unescaped(UnsafeRawBufferPointer(rebasing: bytes[members[index].name])) == text {
            return index
        }
        return nil
    }

    /// Calls `body` with each element of an array, in order, with its index.
    @inline(__always)
    static func forEachElement<Failure: Error>(
        of array: Range<Int>, of bytes: UnsafeRawBufferPointer, _ body: (Int, Range<Int>) throws(Failure) -> Void
    ) throws(Failure) {
        var index = 0
        var at = array.lowerBound + 1
        while at < array.upperBound - 1 {
            let value = at..<end(bytes, at)
            try body(index, value)
            index += 1
            at = value.upperBound + 1
        }
    }

    /// True if two buffers have equal bytes. Names are short, so words are compared here instead of calling `memcmp`.
    @inline(__always)
    static func haveEqualBytes(_ left: UnsafeRawBufferPointer, _ right: UnsafeRawBufferPointer) -> Bool {
        let count = left.count
        guard count == right.count else { return false }
        var at = 0
        while count - at >= 8 {
            guard
                left.loadUnaligned(fromByteOffset: at, as: UInt64.self)
                    == right.loadUnaligned(fromByteOffset: at, as: UInt64.self)
            else { return false }
            at += 8
        }
        while at < count {
            guard left[at] == right[at] else { return false }
            at += 1
        }
        return true
    }

    /// Returns the range of a string between its quotes.
    @inline(__always)
    static func string(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Range<Int> {
        var isEscaped = false
        return string(bytes, start, &isEscaped)
    }

    /// Returns the range of a string between its quotes.
    ///
    /// - Parameter isEscaped: Set to true if the text has a backslash.
    @inline(__always)
    private static func string(_ bytes: UnsafeRawBufferPointer, _ start: Int, _ isEscaped: inout Bool) -> Range<Int> {
        var cursor = JSONCursor(bytes, at: start)
        return cursor.string(isEscaped: &isEscaped)
    }

    /// Returns the offset after the value at a position.
    static func end(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int {
        var cursor = JSONCursor(bytes, at: start)
        return cursor.value().upperBound
    }

    /// True if a written name equals the wanted one, in any spelling.
    @inline(__always)
    static func isName(
        _ name: Range<Int>, _ wanted: UnsafeRawBufferPointer, of bytes: UnsafeRawBufferPointer
    ) -> Bool {
        let written = UnsafeRawBufferPointer(rebasing: bytes[name])
        if haveEqualBytes(written, wanted) { return true }
        // A wanted name has no needless escapes, but a stored one may have any.
        return written.contains(UInt8(ascii: "\\")) && JSONText.unescaped(written) == JSONText.unescaped(wanted)
    }

    /// Returns the index of a member; nil if there is none.
    ///
    /// - Parameters:
    ///   - range: The members of one object, each name once.
    ///   - expected: The index to try first, which is mostly the one after the previous member.
    @inline(__always)
    static func index(
        of wanted: UnsafeRawBufferPointer, in members: borrowing MemberStack, _ range: Range<Int>, expected: Int,
        of bytes: UnsafeRawBufferPointer
    ) -> Int? {
        if range.contains(expected),
            haveEqualBytes(UnsafeRawBufferPointer(rebasing: bytes[members[expected].name]), wanted)
        {
            return expected
        }
        return index(of: wanted, in: members, range, after: expected, of: bytes)
    }

    private static func index(
        of wanted: UnsafeRawBufferPointer, in members: borrowing MemberStack, _ range: Range<Int>, after expected: Int,
        of bytes: UnsafeRawBufferPointer
    ) -> Int? {
        // Mostly members between two wanted ones are skipped, so those before are searched last.
        let middle = min(max(expected, range.lowerBound), range.upperBound)
        for index in middle..<range.upperBound where isName(members[index].name, wanted, of: bytes) { return index }
        for index in range.lowerBound..<middle where isName(members[index].name, wanted, of: bytes) { return index }
        return nil
    }

    /// Returns the value of a member; nil if there is none.
    static func value(
        of wanted: [UInt8], in members: borrowing MemberStack, _ range: Range<Int>, of bytes: UnsafeRawBufferPointer
    ) -> Range<Int>? {
        wanted.withUnsafeBytes { wanted in
            index(of: wanted, in: members, range, expected: range.lowerBound, of: bytes)
        }.map { members[$0].value }
    }
}

extension [UInt8] {
    /// Calls `body` with the bytes. `body` may throw errors of its own type.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (buffer) throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
    }
}
