/// Checks the grammar of a JSON text in one pass. A receiver turns what the scan finds into a value, an outline or the
/// canonical form.
///
/// Every sequence of bytes gives a result or a fault. The scan is generic and not dynamic, so that the receiver is
/// compiled into the loop; the decoder's speed depends on that.
///
/// - Source: RFC 8259.
package struct JSONScan<Receiver: JSONReceiver> {
    /// The receiver, with everything that it has built.
    package var receiver: Receiver
    /// The fault that ended the scan; meaningful after a function has returned nil or false.
    package var fault = JSONFault(offset: 0, message: "")

    @usableFromInline let bytes: UnsafeRawBufferPointer
    @usableFromInline let nestingDepthMax: Int
    @usableFromInline var position: Int
    /// The number of open containers; at most `nestingDepthMax`, which bounds the recursion.
    @usableFromInline var depth = 0

    /// - Parameters:
    ///   - bytes: The text. It must stay valid as long as the scan.
    ///   - start: The offset of the first byte to read.
    ///   - nestingDepthMax: The largest number of containers that may be open at once.
    @inlinable package init(
        _ bytes: UnsafeRawBufferPointer, from start: Int = 0, nestingDepthMax: Int, into receiver: Receiver
    ) {
        self.bytes = bytes
        self.receiver = receiver
        self.nestingDepthMax = nestingDepthMax
        position = start
    }

    /// Scans a text of one value, with or without white space around it.
    ///
    /// - Returns: nil when the text is not one value; see ``fault``.
    /// - Complexity: O(bytes.count), and what the receiver does.
    @inlinable package mutating func whole() -> Receiver.Value? {
        guard let value = value() else { return nil }
        skipWhiteSpace()
        guard position == bytes.count else {
            fail("nothing may follow the value")
            return nil
        }
        return value
    }

    @inlinable mutating func value() -> Receiver.Value? {
        skipWhiteSpace()
        switch byte {
        case UInt8(ascii: "\""):
            guard let string = string() else { return nil }
            return receiver.string(string)
        case UInt8(ascii: "-"), UInt8(ascii: "0")...UInt8(ascii: "9"): return number()
        case UInt8(ascii: "{"), UInt8(ascii: "["):
            guard depth < nestingDepthMax else {
                fail("too many containers are open")
                fault.isTooDeep = true
                return nil
            }
            depth += 1
            defer { depth -= 1 }
            return byte == UInt8(ascii: "{") ? object() : array()
        case UInt8(ascii: "t"): return word("true", .true, "this should be true")
        case UInt8(ascii: "f"): return word("false", .false, "this should be false")
        case UInt8(ascii: "n"): return word("null", .null, "this should be null")
        default:
            fail(
                position < bytes.count ? "no value begins with this character" : "the text ends where a value should be"
            )
            return nil
        }
    }

    @inlinable mutating func array() -> Receiver.Value? {
        var array = receiver.open(isObject: false, at: position)
        position += 1
        skipWhiteSpace()
        if !consume(UInt8(ascii: "]")) {
            repeat {
                guard let value = value() else { return nil }
                receiver.add(value, to: &array)
                skipWhiteSpace()
            } while consume(UInt8(ascii: ","))
            guard consume(UInt8(ascii: "]")) else {
                fail("a comma or ] is missing")
                return nil
            }
        }
        return receiver.close(array, at: position)
    }

    @inlinable mutating func object() -> Receiver.Value? {
        var object = receiver.open(isObject: true, at: position)
        position += 1
        skipWhiteSpace()
        if !consume(UInt8(ascii: "}")) {
            repeat {
                skipWhiteSpace()
                guard byte == UInt8(ascii: "\"") else {
                    fail("a member's name is missing")
                    return nil
                }
                guard let name = string() else { return nil }
                receiver.name(name, in: &object)
                skipWhiteSpace()
                guard consume(UInt8(ascii: ":")) else {
                    fail("a colon is missing")
                    return nil
                }
                guard let value = value() else { return nil }
                receiver.add(value, to: &object)
                skipWhiteSpace()
            } while consume(UInt8(ascii: ","))
            guard consume(UInt8(ascii: "}")) else {
                fail("a comma or } is missing")
                return nil
            }
        }
        return receiver.close(object, at: position)
    }

    // MARK: Strings

    @inlinable mutating func string() -> JSONStringToken? {
        let start = position + 1
        var at = start
        var isEscaped = false
        var bits: UInt64 = 0
        while true {
            JSONRuns.skipPlain(bytes, &at, &bits)
            guard at < bytes.count, bytes[at] != UInt8(ascii: "\"") else { break }
            guard bytes[at] == UInt8(ascii: "\\"), let escape = JSONEscapes.byteCount(bytes, at: at) else { break }
            isEscaped = true
            at += escape
        }
        let isASCII = bits & 0x8080_8080_8080_8080 == 0
        if Receiver.requiresUTF8, !isASCII, let wrong = JSONRuns.firstRunOutsideUTF8(bytes, start..<at) {
            position = wrong
            fail("the string is not UTF-8 from here on")
            return nil
        }
        guard at < bytes.count, bytes[at] == UInt8(ascii: "\"") else {
            fault = JSONEscapes.fault(bytes, at: at)
            return nil
        }
        position = at + 1
        return JSONStringToken(range: start..<at, isEscaped: isEscaped, isASCII: isASCII)
    }

    // MARK: Numbers, words

    @inlinable @inline(__always) mutating func number() -> Receiver.Value? {
        let start = position
        switch JSONRuns.number(bytes, &position) {
        case .wrong:
            fail("a digit is missing")
            return nil
        case .integer: return receiver.number(start..<position, isInteger: true)
        case .fraction: return receiver.number(start..<position, isInteger: false)
        }
    }

    @inlinable mutating func word(_ text: StaticString, _ word: JSONWord, _ message: StaticString) -> Receiver.Value? {
        let start = position
        for offset in 0..<text.utf8CodeUnitCount {
            guard consume(text.utf8Start[offset]) else {
                fail(message)
                return nil
            }
        }
        return receiver.word(word, start..<position)
    }

    // MARK: Steps

    /// The byte at the position; 0 at the end, which JSON never contains outside of strings.
    @inlinable @inline(__always) var byte: UInt8 { position < bytes.count ? bytes[position] : 0 }

    @inlinable @inline(__always) mutating func consume(_ wanted: UInt8) -> Bool {
        guard byte == wanted else { return false }
        position += 1
        return true
    }

    @inlinable @inline(__always) mutating func skipWhiteSpace() {
        while position < bytes.count, bytes[position] <= 0x20 {
            switch bytes[position] {
            case 0x20, 0x0A, 0x0D, 0x09: position += 1
            default: return
            }
        }
    }

    @inlinable @inline(never) mutating func fail(_ message: StaticString) {
        fault = JSONFault(offset: position, message: message)
    }
}
