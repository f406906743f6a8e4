/// One JSON value, validated and without insignificant white space. Shares the bytes that it was read from.
package struct JSONSlice: Sendable {
    /// The kind of a JSON value; the raw value names it in messages.
    package enum Kind: String, Sendable {
        /// An object.
        case object = "an object"
        /// An array.
        case array = "an array"
        /// A string.
        case string = "a string"
        /// A number.
        case number = "a number"
        /// `true` or `false`.
        case bool = "a boolean"
        /// `null`.
        case null
    }

    /// The value as written.
    package let bytes: ArraySlice<UInt8>

    /// Creates a slice that shares its bytes.
    ///
    /// - Parameter bytes: Valid JSON without insignificant white space. Not copied.
    package init(compact bytes: ArraySlice<UInt8>) {
        self.bytes = bytes
    }

    /// Creates a slice from JSON with white space, which is removed.
    ///
    /// - Parameter bytes: Valid JSON, with white space anywhere. Copied.
    /// - Complexity: O(bytes.count).
    package init(validated bytes: ArraySlice<UInt8>) {
        self.bytes = bytes.withUnsafeBytes { JSONSlice.compacted($0) }[...]
    }

    /// Copies JSON without insignificant white space, one run between spaces at a time: most texts are one run.
    private static func compacted(_ text: UnsafeRawBufferPointer) -> [UInt8] {
        var compact: [UInt8] = []
        compact.reserveCapacity(text.count)
        var runStart = 0
        var at = 0
        while at < text.count {
            switch text[at] {
            case UInt8(ascii: "\""):
                at += 1
                while true {
                    at += JSONCursor.plainByteCount(text, at: at)
                    guard at < text.count, text[at] == UInt8(ascii: "\\") else { break }
                    at += 2
                }
                at += 1
            case 0x20, 0x09, 0x0A, 0x0D:
                compact.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[runStart..<at]))
                at += 1
                runStart = at
            default: at += 1
            }
        }
        compact.append(contentsOf: UnsafeRawBufferPointer(rebasing: text[runStart...]))
        return compact
    }

    /// The kind of the value, from its first byte.
    package var kind: Kind {
        switch bytes.first {
        case UInt8(ascii: "{"): .object
        case UInt8(ascii: "["): .array
        case UInt8(ascii: "\""): .string
        case UInt8(ascii: "t"), UInt8(ascii: "f"): .bool
        case UInt8(ascii: "n"): .null
        default: .number
        }
    }

    /// The members of an object by unescaped name; nil for other values. If a name is repeated, the last value counts.
    ///
    /// - Complexity: O(bytes.count).
    package var members: [[UInt8]: JSONSlice]? {
        guard kind == .object else { return nil }
        return bytes.withUnsafeBytes { all in
            let object = JSONObject(all, range: 0..<all.count)
            var members: [[UInt8]: JSONSlice] = [:]
            for member in object.members { members[object.unescapedName(member)] = value(member.value) }
            return members
        }
    }

    /// The elements of an array in order; nil for other values.
    ///
    /// - Complexity: O(bytes.count).
    package var elements: [JSONSlice]? {
        guard kind == .array else { return nil }
        return bytes.withUnsafeBytes { all in
            var cursor = JSONCursor(all, at: 1)
            var elements: [JSONSlice] = []
            while cursor.byte != UInt8(ascii: "]") {
                elements.append(value(cursor.value()))
                if cursor.byte == UInt8(ascii: ",") { cursor.step() }
            }
            return elements
        }
    }

    /// The bytes that a string represents; nil for other values, and for a string with an unpaired surrogate.
    package var text: [UInt8]? {
        guard kind == .string else { return nil }
        let text = bytes.dropFirst().dropLast().withUnsafeBytes { JSONText.unescaped($0) }
        // An escape is longer than the text that it represents: if nothing became shorter, there was none.
        if text.count == bytes.count - 2 { return text }
        // UTF-8 never has such a byte after ED; only an unpaired `\ud800` to `\udfff` leaves one.
        for (byte, next) in zip(text, text.dropFirst()) where byte == 0xED && next >= 0xA0 { return nil }
        return text
    }

    /// The value of a number written only with digits that fits 64 bits; nil for other values.
    package var integer: Int64? {
        guard kind == .number else { return nil }
        return Int64(String(decoding: bytes, as: UTF8.self))
    }

    /// The value of `true` or `false`; nil for other values.
    package var bool: Bool? {
        kind == .bool ? bytes.first == UInt8(ascii: "t") : nil
    }

    private func value(_ range: Range<Int>) -> JSONSlice {
        JSONSlice(compact: bytes[bytes.startIndex + range.lowerBound..<bytes.startIndex + range.upperBound])
    }
}
