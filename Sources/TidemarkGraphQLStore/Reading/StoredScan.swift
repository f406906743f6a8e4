import TidemarkModel
import TidemarkStore

/// The members of objects inside one stored resource: compact JSON that was validated when it was stored.
///
/// - Complexity: O(bytes) to open an object; its values are stepped over, not read.
struct StoredScan {
    struct Member {
        /// The name between the quotes, as written.
        var name: Range<Int>
        var value: Range<Int>
    }

    /// Opens the object at a place.
    ///
    /// - Parameter members: Where its members are appended.
    static func open(_ object: Range<Int>, of bytes: UnsafeRawBufferPointer, into members: inout [Member]) {
        var at = object.lowerBound + 1
        while at < object.upperBound - 1 {
            let name = string(bytes, at)
            at = name.upperBound + 2
            let value = at..<end(bytes, at)
            members.append(Member(name: name, value: value))
            at = value.upperBound + 1
        }
    }

    /// Calls `body` with each element of an array.
    static func elements(
        of array: Range<Int>, of bytes: UnsafeRawBufferPointer
    ) -> [Range<Int>] {
        var elements: [Range<Int>] = []
        var at = array.lowerBound + 1
        while at < array.upperBound - 1 {
            let value = at..<end(bytes, at)
            elements.append(value)
            at = value.upperBound + 1
        }
        return elements
    }

    /// The text of a string between its quotes.
    static func string(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Range<Int> {
        var at = start + 1
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
            at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        // No input reaches it: what is stored was validated.
        precondition(at < bytes.count, "a stored string at byte \(start) has no end")
        return start + 1..<at
    }

    /// The offset after the value at a place.
    static func end(_ bytes: UnsafeRawBufferPointer, _ start: Int) -> Int {
        var at = start
        var depth = 0
        while at < bytes.count {
            switch bytes[at] {
            case UInt8(ascii: "\""): at = string(bytes, at).upperBound + 1
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                at += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                if depth == 0 { return at }
                depth -= 1
                at += 1
            case UInt8(ascii: ","):
                if depth == 0 { return at }
                at += 1
            default: at += 1
            }
            if depth == 0, at < bytes.count {
                switch bytes[at] {
                case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return at
                default: break
                }
            }
        }
        return at
    }

    /// Tells whether a written name is the wanted one, in any spelling.
    static func isName(_ name: Range<Int>, _ wanted: [UInt8], of bytes: UnsafeRawBufferPointer) -> Bool {
        let written = UnsafeRawBufferPointer(rebasing: bytes[name])
        let isEqual = wanted.withUnsafeBytes { JSONText.haveEqualBytes(written, $0) }
        if isEqual { return true }
        guard written.contains(UInt8(ascii: "\\")) else { return false }
        return wanted.withUnsafeBytes { JSONText.unescaped(written) == JSONText.unescaped($0) }
    }

    /// The value of a member; of several of one name the last. nil when there is none.
    static func value(
        of wanted: [UInt8], among members: ArraySlice<Member>, of bytes: UnsafeRawBufferPointer
    ) -> Range<Int>? {
        members.last { isName($0.name, wanted, of: bytes) }?.value
    }
}

extension [UInt8] {
    /// Lends the bytes to a function that throws errors of its own type.
    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try withUnsafeBufferPointer { (buffer) throws(Failure) in try body(UnsafeRawBufferPointer(buffer)) }
    }
}
