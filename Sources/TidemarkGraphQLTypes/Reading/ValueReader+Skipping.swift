extension ValueReader {
    /// Skips a value of any depth.
    ///
    /// - Complexity: O(bytes of the value), without recursion.
    @usableFromInline
    mutating func skipValue() throws(SelectionError) {
        var depth = 0
        repeat {
            switch current {
            case UInt8(ascii: "\""): try skipString()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                offset += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                guard depth >= 0 else { throw malformed("a value") }
                offset += 1
            case UInt8(ascii: ","), UInt8(ascii: ":"), 0x20, 0x0A, 0x0D, 0x09:
                guard depth > 0 else { throw malformed("a value") }
                offset += 1
            case UInt8(ascii: "-"), 0x30...0x39: skipNumber()
            case UInt8(ascii: "t"): guard consume("true") else { throw malformed("true") }
            case UInt8(ascii: "f"): guard consume("false") else { throw malformed("false") }
            case UInt8(ascii: "n"): guard consume("null") else { throw malformed("null") }
            default: throw malformed("a value")
            }
        } while depth > 0
    }

    /// Skips the string whose opening quote is at the offset.
    @usableFromInline
    mutating func skipString() throws(SelectionError) {
        guard consume(UInt8(ascii: "\"")) else { throw malformed("a string") }
        while offset < bytes.count {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return
            case UInt8(ascii: "\\"): offset += 2
            default: offset += 1
            }
        }
        throw malformed("the end of a string")
    }
}
