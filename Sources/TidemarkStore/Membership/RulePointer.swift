import TidemarkJSON

/// A JSON Pointer (RFC 6901), parsed.
package struct RulePointer: Hashable, Sendable {
    /// The most tokens of one pointer: the deepest nesting of a line.
    package static let tokenCountMax = 64

    /// One step of a pointer: a member's name or an element's index.
    package struct Token: Hashable, Sendable {
        /// The name of the member, without escapes.
        package let name: [UInt8]
        /// The index of the array element that the token names; nil if it cannot name one.
        let index: Int?
        /// The first bytes of the name, see ``MemberOutline/prefix(of:in:)``.
        let prefix: UInt64

        init(name: [UInt8], index: Int?) {
            self.name = name
            self.index = index
            prefix = name.withUnsafeBytes { MemberOutline.prefix(of: 0..<$0.count, in: $0) }
        }
    }

    /// The tokens from the outside in; empty for the whole value.
    package let tokens: [Token]

    /// Parses a pointer.
    ///
    /// - Parameter text: The pointer's text, without JSON escapes.
    /// - Throws: ``MembershipError`` without a place: what is wrong and what to write instead, as the end of a sentence
    ///   that begins with the place.
    package init(_ text: [UInt8]) throws(MembershipError) {
        guard let first = text.first else {
            tokens = []
            return
        }
        guard first == UInt8(ascii: "/") else {
            throw MembershipError(
                place: "", what: "does not begin with a slash; write a JSON Pointer such as \"/kind\"")
        }
        var tokens: [Token] = []
        for part in text.dropFirst().split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false) {
            guard let name = RulePointer.unescaped(part) else {
                throw MembershipError(
                    place: "", what: "holds a ~ that is neither ~0 nor ~1; write ~0 for ~ and ~1 for /")
            }
            tokens.append(Token(name: name, index: RulePointer.index(part)))
        }
        guard tokens.count <= RulePointer.tokenCountMax else {
            throw MembershipError(
                place: "",
                what: "has \(tokens.count) tokens; nothing is nested deeper than \(RulePointer.tokenCountMax)")
        }
        self.tokens = tokens
    }

    /// Creates a pointer of tokens of another one.
    ///
    /// - Parameter tokens: At most ``tokenCountMax``.
    package init(tokens: [Token]) {
        self.tokens = tokens
    }

    /// Creates a pointer to a top-level member.
    init(member name: StaticString) {
        let bytes = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        tokens = [Token(name: Array(bytes), index: nil)]
    }

    /// Returns the range of the value that the pointer names; nil if there is none. If a name is repeated, the last
    /// member counts.
    ///
    /// - Parameter bytes: One validated value without insignificant white space.
    /// - Complexity: O(bytes.count).
    package func value(in bytes: UnsafeRawBufferPointer) -> Range<Int>? {
        value(in: bytes, from: 0..<bytes.count, tokensFrom: 0)
    }

    /// Returns the value that the tokens from an index on lead to, beginning at another value.
    func value(in bytes: UnsafeRawBufferPointer, from start: Range<Int>, tokensFrom first: Int) -> Range<Int>? {
        var value = start
        for index in first..<tokens.count {
            guard let inner = tokens[index].value(in: bytes, at: value.lowerBound) else { return nil }
            value = inner
        }
        return value
    }

    private static func unescaped(_ part: ArraySlice<UInt8>) -> [UInt8]? {
        var name: [UInt8] = []
        name.reserveCapacity(part.count)
        var at = part.startIndex
        while at < part.endIndex {
            if part[at] == UInt8(ascii: "~") {
                guard at + 1 < part.endIndex, part[at + 1] == UInt8(ascii: "0") || part[at + 1] == UInt8(ascii: "1")
                else { return nil }
                name.append(part[at + 1] == UInt8(ascii: "0") ? UInt8(ascii: "~") : UInt8(ascii: "/"))
                at += 2
            } else {
                name.append(part[at])
                at += 1
            }
        }
        return name
    }

    private static func index(_ part: ArraySlice<UInt8>) -> Int? {
        guard let first = part.first, part.count == 1 || first != UInt8(ascii: "0") else { return nil }
        var index = 0
        for byte in part {
            guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
            let (tenfold, wraps) = index.multipliedReportingOverflow(by: 10)
            let (next, wrapsToo) = tenfold.addingReportingOverflow(Int(byte - UInt8(ascii: "0")))
            // No array has that many elements.
            guard !wraps, !wrapsToo else { return nil }
            index = next
        }
        return index
    }
}

extension RulePointer.Token {
    /// Returns the member or element that this token names in the value at `position`; nil if there is none.
    fileprivate func value(in bytes: UnsafeRawBufferPointer, at position: Int) -> Range<Int>? {
        guard position < bytes.count else { return nil }
        switch bytes[position] {
        case UInt8(ascii: "{"): return member(in: bytes, at: position + 1)
        case UInt8(ascii: "["): return element(in: bytes, at: position + 1)
        default: return nil
        }
    }

    /// Returns the value of the last member with this token's name.
    ///
    /// A view reads several pointers of each entity, so this loop calls nothing that it does not need.
    private func member(in bytes: UnsafeRawBufferPointer, at first: Int) -> Range<Int>? {
        var found: Range<Int>?
        var at = first
        name.withUnsafeBytes { wanted in
            while at < bytes.count, bytes[at] != UInt8(ascii: "}") {
                var isEscaped = false
                let end = RulePointer.Token.stringEnd(bytes, at: at, &isEscaped)
                let written = UnsafeRawBufferPointer(rebasing: bytes[at + 1..<end])
                let isNamed =
                    isEscaped ? JSONText.isSpelling(written, of: name) : JSONText.haveEqualBytes(written, wanted)
                let start = end + 2
                at = RulePointer.Token.valueEnd(bytes, at: start)
                if isNamed { found = start..<at }
                if at < bytes.count, bytes[at] == UInt8(ascii: ",") { at += 1 }
            }
        }
        return found
    }

    private func element(in bytes: UnsafeRawBufferPointer, at first: Int) -> Range<Int>? {
        guard var left = index else { return nil }
        var at = first
        while at < bytes.count, bytes[at] != UInt8(ascii: "]") {
            let end = RulePointer.Token.valueEnd(bytes, at: at)
            if left == 0 { return at..<end }
            left -= 1
            at = end
            if at < bytes.count, bytes[at] == UInt8(ascii: ",") { at += 1 }
        }
        return nil
    }

    /// Returns the index of the quote that ends the string at `start`.
    @inline(__always)
    static func stringEnd(_ bytes: UnsafeRawBufferPointer, at start: Int, _ isEscaped: inout Bool) -> Int {
        var at = start + 1
        while true {
            at += JSONCursor.plainByteCount(bytes, at: at)
            // No input reaches it: a validated string ends.
            precondition(at < bytes.count, "a stored string has no end")
            if bytes[at] == UInt8(ascii: "\"") { return at }
            isEscaped = true
            at += 2
        }
    }

    /// Returns the index behind the value at `start`.
    @inline(__always)
    static func valueEnd(_ bytes: UnsafeRawBufferPointer, at start: Int) -> Int {
        // No input reaches it: a validated value ends.
        precondition(start < bytes.count, "a stored value has no end")
        switch bytes[start] {
        case UInt8(ascii: "\""):
            var isEscaped = false
            return stringEnd(bytes, at: start, &isEscaped) + 1
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            var cursor = JSONCursor(bytes, at: start)
            return cursor.value().upperBound
        default:
            var at = start
            while at < bytes.count {
                switch bytes[at] {
                case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return at
                default: at += 1
                }
            }
            return at
        }
    }
}
