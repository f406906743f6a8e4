/// The byte ranges of the members that identify an event in its body.
///
/// The body is scanned once and not validated: the line decoder validates it later. Without an outline: a body whose
/// brackets do not match.
///
/// - Source: Protocol/events.md, envelopes.
struct BodyOutline {
    var event: Range<Int>?
    var kind: Range<Int>?
    var envelope: Range<Int>?
    /// The value of `Event`, which contains a wrapped event.
    var wrapped: Range<Int>?
    var type: Range<Int>?
    var mutationID: Range<Int>?
    var asOf: Range<Int>?
    var sequence: Range<Int>?
    var previous: Range<Int>?
    var epoch: Range<Int>?
    /// The name of the first member, between its quotes.
    private(set) var firstName: Range<Int>?
    /// True if all members have the same name.
    private(set) var hasOneName = true

    /// Scans an object; nil if the range is no object or its brackets do not match.
    ///
    /// - Parameter range: The object with its brackets; white space may surround it.
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

    /// Records the range of a member's value. The last of repeated members wins.
    private mutating func note(_ name: Range<Int>, _ value: Range<Int>, _ bytes: UnsafeRawBufferPointer) {
        if let firstName {
            hasOneName = hasOneName && bytes[firstName].elementsEqual(bytes[name])
        } else {
            firstName = name
        }
        func isName(_ text: StaticString) -> Bool { BodyScan.equals(bytes, name, text) }
        switch name.count {
        case 4 where isName("kind"): kind = value
        case 4 where isName("type"): type = value
        case 4 where isName("prev"): previous = value
        case 5 where isName("event"): event = value
        case 5 where isName("Event"): wrapped = value
        case 5 where isName("as_of"): asOf = value
        case 5 where isName("epoch"): epoch = value
        case 8 where isName("envelope"): envelope = value
        case 8 where isName("sequence"): sequence = value
        case 11 where isName("mutation_id"): mutationID = value
        default: break
        }
    }
}
