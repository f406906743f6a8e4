import TidemarkModel

/// The library and the position in its log that the line of a message gets.
struct MessagePlace {
    /// The library as a JSON string, with its quotes.
    var quotedLibrary: [UInt8]
    /// The sequences and the epoch from the stream; nil to use those of the body.
    var numbers: Numbers?

    /// The position of a message in stream numbering.
    struct Numbers {
        var sequence: Int64
        /// The sequence before it in the library's log, written as `prev`.
        var previous: Int64
        /// The epoch as a JSON string, with its quotes.
        var quotedEpoch: [UInt8]
    }
}

/// Converts messages of a stream into event lines.
///
/// A body is an event in any of the forms of a line. The library of the message replaces that of the body; in stream
/// numbering, the message's sequence, `prev` and epoch do, too. `mutation_id` and `as_of` stay. A heartbeat or reset
/// becomes an event that is ignored but keeps its sequence, because the stream itself shows where its log ends and when
/// it began anew. A body that is not JSON becomes an unusable line whose sequence can still be read.
///
/// - Source: Protocol/jetstream.md, bodies; Protocol/events.md, envelopes.
package enum StreamMessageLine {
    /// The event that replaces a heartbeat or reset: its kind is unknown, so the cache counts and ignores it.
    private static let ignored = Array(#"{"ControlMessage":null}"#.utf8)

    /// Appends the line for a message in stream numbering, with its LF.
    ///
    /// - Parameters:
    ///   - sequence: The sequence of the message in its stream, 0 or more.
    ///   - previous: The sequence before it in the library's log, 0 or more.
    /// - Complexity: O(body).
    package static func append(
        _ body: [UInt8], library: ByteString, sequence: Int64, previous: Int64, epoch: ByteString,
        to lines: inout [UInt8]
    ) {
        let numbers = MessagePlace.Numbers(sequence: sequence, previous: previous, quotedEpoch: quoted(epoch))
        body.withUnsafeBytes {
            append($0, at: MessagePlace(quotedLibrary: quoted(library), numbers: numbers), to: &lines)
        }
    }

    /// Appends the line for a message, with its LF.
    ///
    /// - Complexity: O(body).
    static func append(_ body: UnsafeRawBufferPointer, at place: MessagePlace, to lines: inout [UInt8]) {
        let form = Form(body, 0..<body.count)
        text(#"{"library_id":"#, to: &lines)
        lines.append(contentsOf: place.quotedLibrary)
        if let numbers = place.numbers {
            text(#","sequence":"#, to: &lines)
            decimal(numbers.sequence, to: &lines)
            text(#","prev":"#, to: &lines)
            decimal(numbers.previous, to: &lines)
            text(#","epoch":"#, to: &lines)
            lines.append(contentsOf: numbers.quotedEpoch)
        } else {
            member(#","sequence":"#, form.sequence, of: body, to: &lines)
            member(#","prev":"#, form.previous, of: body, to: &lines)
            member(#","epoch":"#, form.epoch, of: body, to: &lines)
        }
        member(#","mutation_id":"#, form.mutationID, of: body, to: &lines)
        member(#","as_of":"#, form.asOf, of: body, to: &lines)
        // An `envelope` of another type is kept, so that the line is refused for the same reason as the body.
        member(#","envelope":"#, form.badEnvelope, of: body, to: &lines)
        if let broken = form.broken { appendBroken(body[broken], to: &lines) }
        if place.numbers != nil, form.isControl(body) {
            text(#","event":"#, to: &lines)
            lines.append(contentsOf: ignored)
        } else {
            member(#","event":"#, form.event, of: body, to: &lines)
            member(#","kind":"#, form.kind, of: body, to: &lines)
        }
        lines.append(UInt8(ascii: "}"))
        lines.append(UInt8(ascii: "\n"))
    }

    /// Appends the line of a heartbeat with `last` as its `last_sequence`.
    static func appendHeartbeat(
        _ quotedLibrary: [UInt8], quotedEpoch: [UInt8], last: Int64, to lines: inout [UInt8]
    ) {
        lines.append(contentsOf: #"{"library_id":"#.utf8)
        lines.append(contentsOf: quotedLibrary)
        lines.append(contentsOf: #","epoch":"#.utf8)
        lines.append(contentsOf: quotedEpoch)
        lines.append(contentsOf: #","event":{"Heartbeat":{"last_sequence":\#(last)}}}"#.utf8)
        lines.append(UInt8(ascii: "\n"))
    }

    /// Appends the line of a reset to an epoch.
    static func appendReset(_ quotedLibrary: [UInt8], quotedEpoch: [UInt8], to lines: inout [UInt8]) {
        lines.append(contentsOf: #"{"library_id":"#.utf8)
        lines.append(contentsOf: quotedLibrary)
        lines.append(contentsOf: #","event":{"Reset":{"epoch":"#.utf8)
        lines.append(contentsOf: quotedEpoch)
        lines.append(contentsOf: "}}}\n".utf8)
    }

    /// Returns the `sequence` of a body; nil when it has none that is an integer.
    static func sequence(of body: [UInt8]) -> Int64? {
        body.withUnsafeBytes { bytes in
            Form(bytes, 0..<bytes.count).sequence.flatMap { Int64(String(decoding: bytes[$0], as: UTF8.self)) }
        }
    }

    /// Appends an `event` member that is deliberately not JSON, with the broken text as a quoted string. Unquoted, the
    /// text could end the member and add a library or a sequence of its own.
    private static func appendBroken(_ text: Slice<UnsafeRawBufferPointer>, to lines: inout [UInt8]) {
        lines.append(contentsOf: #","event":!"#.utf8)
        lines.append(contentsOf: quoted(ByteString(Array(text))))
    }

    /// Appends a literal without creating a `String`.
    private static func text(_ text: StaticString, to lines: inout [UInt8]) {
        lines.append(contentsOf: UnsafeRawBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
    }

    /// Appends a decimal number. It must not be negative.
    private static func decimal(_ value: Int64, to lines: inout [UInt8]) {
        precondition(value >= 0, "a number of a stream is 0 or more, not \(value)")
        let start = lines.count
        var rest = value
        repeat {
            lines.append(UInt8(ascii: "0") + UInt8(truncatingIfNeeded: rest % 10))
            rest /= 10
        } while rest > 0
        lines[start...].reverse()
    }

    /// Appends a member of the body, unless `value` is nil.
    ///
    /// - Parameter name: A comma, the quoted name, and a colon.
    private static func member(
        _ name: StaticString, _ value: Range<Int>?, of body: UnsafeRawBufferPointer, to lines: inout [UInt8]
    ) {
        guard let value else { return }
        text(name, to: &lines)
        let start = lines.count
        let bytes = UnsafeRawBufferPointer(rebasing: body[value])
        lines.append(contentsOf: bytes)
        // An LF between values is white space. In a string it is not valid JSON, and must not begin another line
        // either.
        guard let first = BodyScan.firstLF(bytes) else { return }
        for index in start + first..<lines.count where lines[index] == UInt8(ascii: "\n") {
            lines[index] = UInt8(ascii: " ")
        }
    }
}

extension StreamMessageLine {
    /// The byte ranges of a body's parts, whatever form the event has.
    private struct Form {
        var event: Range<Int>?
        var kind: Range<Int>?
        var badEnvelope: Range<Int>?
        /// The part that is not JSON; nil when there is none.
        var broken: Range<Int>?
        var mutationID: Range<Int>?
        var asOf: Range<Int>?
        var sequence: Range<Int>?
        var previous: Range<Int>?
        var epoch: Range<Int>?

        init(_ body: UnsafeRawBufferPointer, _ range: Range<Int>, isWrapped: Bool = false) {
            // A bare event, a string, or anything else without a known form: the line decoder reports what is wrong.
            event = range
            guard let outline = BodyOutline(body, range) else {
                var scan = BodyScan(body, range)
                event = scan.value()
                if event == nil || !scan.isAtEnd { (event, broken) = (nil, range) }
                return
            }
            if outline.event != nil || outline.kind != nil || outline.envelope != nil {
                fill(outline, body)
            } else if let wrapped = outline.wrapped, outline.hasOneName, !isWrapped {
                self = Form(body, wrapped, isWrapped: true)
            }
        }

        private mutating func fill(_ outline: BodyOutline, _ body: UnsafeRawBufferPointer) {
            (event, kind) = (outline.event, outline.kind)
            (mutationID, asOf) = (outline.mutationID, outline.asOf)
            (sequence, previous, epoch) = (outline.sequence, outline.previous, outline.epoch)
            guard let envelope = outline.envelope, !BodyScan.equals(body, envelope, "null") else { return }
            guard let inner = BodyOutline(body, envelope) else {
                if body[envelope.lowerBound] == UInt8(ascii: "{") { broken = envelope } else { badEnvelope = envelope }
                return
            }
            // The member in the envelope overrides the one outside, unless it is null.
            func inside(_ value: Range<Int>?, or outside: Range<Int>?) -> Range<Int>? {
                guard let value, !BodyScan.equals(body, value, "null") else { return outside }
                return value
            }
            mutationID = inside(inner.mutationID, or: mutationID)
            asOf = inside(inner.asOf, or: asOf)
            sequence = inside(inner.sequence, or: sequence)
            previous = inside(inner.previous, or: previous)
            epoch = inside(inner.epoch, or: epoch)
        }

        /// True if the event is a heartbeat or a reset.
        func isControl(_ body: UnsafeRawBufferPointer) -> Bool {
            guard let value = kind ?? event, let first = value.first else { return false }
            if body[first] == UInt8(ascii: "\"") {
                return value.count > 1
                    && Form.isControlName(body, value.lowerBound + 1..<value.upperBound - 1)
            }
            guard body[first] == UInt8(ascii: "{") else { return false }
            if kind == nil {
                // For most events the first name already rules out a control message; the rest is then not scanned.
                var scan = BodyScan(body, value.lowerBound + 1..<value.upperBound)
                guard let name = scan.string(), Form.isControlName(body, name.lowerBound + 1..<name.upperBound - 1)
                else {
                    return false
                }
                return BodyOutline(body, value) != nil
            }
            guard let type = BodyOutline(body, value)?.type, type.count > 1 else { return false }
            return Form.isControlName(body, type.lowerBound + 1..<type.upperBound - 1)
        }

        private static func isControlName(_ body: UnsafeRawBufferPointer, _ name: Range<Int>) -> Bool {
            BodyScan.equals(body, name, "Heartbeat") || BodyScan.equals(body, name, "Reset")
        }
    }
}
