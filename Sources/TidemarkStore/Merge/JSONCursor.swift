/// Steps through JSON that was validated and holds no insignificant white space.
///
/// The store only ever holds such bytes, so this checks nothing that the wire has checked; a precondition
/// stands where a wrong byte would lead out of the buffer.
package struct JSONCursor {
    let bytes: UnsafeRawBufferPointer
    private(set) var position: Int

    init(_ bytes: UnsafeRawBufferPointer, at position: Int = 0) {
        self.bytes = bytes
        self.position = position
    }

    /// The byte here; 0, which no JSON holds, behind the end.
    var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }

    mutating func step() {
        position += 1
    }

    /// Steps over a string and gives what stands between its quotes.
    mutating func string() -> Range<Int> {
        precondition(byte == UInt8(ascii: "\""), "no string at byte \(position) of a stored value")
        var at = position + 1
        while at < bytes.count, bytes[at] != UInt8(ascii: "\"") {
            at += bytes[at] == UInt8(ascii: "\\") ? 2 : 1
        }
        precondition(at < bytes.count, "a stored string has no end")
        let inner = position + 1..<at
        position = at + 1
        return inner
    }

    /// Steps over one value of any kind and gives its range.
    mutating func value() -> Range<Int> {
        let start = position
        var depth = 0
        repeat {
            switch byte {
            case UInt8(ascii: "\""):
                _ = string()
            case UInt8(ascii: "{"), UInt8(ascii: "["):
                depth += 1
                step()
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                step()
            case UInt8(ascii: ","), UInt8(ascii: ":"):
                step()
            default:
                precondition(position < bytes.count, "a stored value has no end")
                scalar()
            }
        } while depth > 0
        return start..<position
    }

    private mutating func scalar() {
        while position < bytes.count {
            switch bytes[position] {
            case UInt8(ascii: ","), UInt8(ascii: "}"), UInt8(ascii: "]"): return
            default: position += 1
            }
        }
    }
}
