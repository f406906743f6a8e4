/// The places of the members of an event's body that say which event it is.
///
/// The body is scanned once and not validated: the decoder of lines does that. A body whose brackets do not match has no
/// outline.
///
/// - Source: Protocol/events.md, envelopes.
struct BodyOutline {
    var event: Range<Int>?
    var kind: Range<Int>?
    var envelope: Range<Int>?
    /// The value of `Event`, the name of a wrapped event.
    var wrapped: Range<Int>?
    var type: Range<Int>?
    var mutationID: Range<Int>?
    var asOf: Range<Int>?
    var sequence: Range<Int>?
    var previous: Range<Int>?
    var epoch: Range<Int>?
    /// The name of the first member, between its quotes.
    private(set) var firstName: Range<Int>?
    /// Whether all members have one name.
    private(set) var hasOneName = true

    /// Scans an object.
    ///
    /// - Parameter range: The object, from its bracket to its last one; white space may surround it.
    /// - Complexity: O(range).
    init?(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        var scan = BodyScan(bytes, range)
        guard scan.skips(UInt8(ascii: "{")) else { return nil }
        if scan.skips(UInt8(ascii: "}")) {
            guard scan.isAtEnd else { return nil }
            return
        }
        repeat {
            guard let name = scan.string(), scan.skips(UInt8(ascii: ":")), let value = scan.value() else { return nil }
            note(name.lowerBound + 1..<name.upperBound - 1, value, bytes)
        } while scan.skips(UInt8(ascii: ","))
        guard scan.skips(UInt8(ascii: "}")), scan.isAtEnd else { return nil }
    }

    /// Repeated members: the last one counts.
    private mutating func note(_ name: Range<Int>, _ value: Range<Int>, _ bytes: UnsafeRawBufferPointer) {
        if let firstName {
            let isSame = bytes[firstName].elementsEqual(bytes[name])
            hasOneName = hasOneName && isSame
        } else {
            firstName = name
        }
        switch name.count {
        case 4 where bytes[name].elementsEqual("kind".utf8): kind = value
        case 4 where bytes[name].elementsEqual("type".utf8): type = value
        case 4 where bytes[name].elementsEqual("prev".utf8): previous = value
        case 5 where bytes[name].elementsEqual("event".utf8): event = value
        case 5 where bytes[name].elementsEqual("Event".utf8): wrapped = value
        case 5 where bytes[name].elementsEqual("as_of".utf8): asOf = value
        case 5 where bytes[name].elementsEqual("epoch".utf8): epoch = value
        case 8 where bytes[name].elementsEqual("envelope".utf8): envelope = value
        case 8 where bytes[name].elementsEqual("sequence".utf8): sequence = value
        case 11 where bytes[name].elementsEqual("mutation_id".utf8): mutationID = value
        default: break
        }
    }
}

/// A scan over JSON that finds where values end.
struct BodyScan {
    private let bytes: UnsafeRawBufferPointer
    private(set) var offset: Int
    private let end: Int

    init(_ bytes: UnsafeRawBufferPointer, _ range: Range<Int>) {
        self.bytes = bytes
        offset = range.lowerBound
        end = range.upperBound
    }

    /// Whether only white space is left.
    var isAtEnd: Bool {
        mutating get {
            skipSpace()
            return offset == end
        }
    }

    private mutating func skipSpace() {
        while offset < end, BodyScan.isSpace(bytes[offset]) { offset += 1 }
    }

    /// Passes one byte, after white space; false when another one comes.
    mutating func skips(_ byte: UInt8) -> Bool {
        skipSpace()
        guard offset < end, bytes[offset] == byte else { return false }
        offset += 1
        return true
    }

    /// Passes a string, and returns its place with the quotes; nil when none comes.
    mutating func string() -> Range<Int>? {
        skipSpace()
        let start = offset
        guard offset < end, bytes[offset] == UInt8(ascii: "\"") else { return nil }
        return skipString() ? start..<offset : nil
    }

    /// Passes a value of any kind, and returns its place; nil when its brackets do not match.
    mutating func value() -> Range<Int>? {
        skipSpace()
        let start = offset
        guard offset < end else { return nil }
        switch bytes[offset] {
        case UInt8(ascii: "\""): return skipString() ? start..<offset : nil
        case UInt8(ascii: "{"), UInt8(ascii: "["): return skipContainer() ? start..<offset : nil
        default:
            while offset < end, !BodyScan.endsScalar(bytes[offset]) { offset += 1 }
            return offset > start ? start..<offset : nil
        }
    }

    private mutating func skipString() -> Bool {
        offset += 1
        while offset < end {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                offset += 1
                return true
            case UInt8(ascii: "\\"): offset += 2
            default: offset += 1
            }
        }
        offset = end
        return false
    }

    private mutating func skipContainer() -> Bool {
        var depth = 0
        while offset < end {
            switch bytes[offset] {
            case UInt8(ascii: "\""):
                guard skipString() else { return false }
                continue
            case UInt8(ascii: "{"), UInt8(ascii: "["): depth += 1
            case UInt8(ascii: "}"), UInt8(ascii: "]"):
                depth -= 1
                if depth == 0 {
                    offset += 1
                    return true
                }
            default: break
            }
            offset += 1
        }
        return false
    }

    private static func isSpace(_ byte: UInt8) -> Bool {
        byte == UInt8(ascii: " ") || byte == UInt8(ascii: "\n") || byte == UInt8(ascii: "\r")
            || byte == UInt8(ascii: "\t")
    }

    private static func endsScalar(_ byte: UInt8) -> Bool {
        byte <= 0x20 || byte == UInt8(ascii: ",") || byte == UInt8(ascii: "}") || byte == UInt8(ascii: "]")
    }
}
