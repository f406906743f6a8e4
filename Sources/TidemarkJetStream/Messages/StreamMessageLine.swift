import TidemarkModel

/// The place of a message in its log, which stands on its line.
struct MessagePlace {
    /// The library as a JSON string, with its quotes.
    var quotedLibrary: [UInt8]
    /// The numbers; nil: those of the body count.
    var numbers: Numbers?

    struct Numbers {
        var sequence: Int64
        /// The number before it in its log.
        var previous: Int64
        /// The epoch as a JSON string, with its quotes.
        var quotedEpoch: [UInt8]
    }
}

/// The line of an event that stands for a message of a stream.
///
/// A body is an event in any of the forms of a line. Its library, and in stream numbering its numbers and its epoch, are
/// replaced by those of the message; `mutation_id` and `as_of` stay. A heartbeat or a reset takes its place in the
/// numbers and does nothing: the stream says where its log ends, and when it began anew. A body that is no JSON becomes a
/// line that cannot be used and whose number can be read.
///
/// - Source: Protocol/jetstream.md, bodies; Protocol/events.md, envelopes.
package enum StreamMessageLine {
    /// The event of a control message: its kind is unknown, so it is counted and ignored.
    private static let ignored = Array(#"{"ControlMessage":null}"#.utf8)

    /// Appends the line of a body in stream numbering, with its LF.
    ///
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

    /// Appends the line, with its LF.
    ///
    /// - Complexity: O(body).
    static func append(_ body: UnsafeRawBufferPointer, at place: MessagePlace, to lines: inout [UInt8]) {
        lines.reserveCapacity(lines.count + body.count + place.quotedLibrary.count + 160)
        let form = Form(body, 0..<body.count)
        lines.append(contentsOf: #"{"library_id":"#.utf8)
        lines.append(contentsOf: place.quotedLibrary)
        if let numbers = place.numbers {
            member("sequence", numbers.sequence, to: &lines)
            member("prev", numbers.previous, to: &lines)
            lines.append(contentsOf: #","epoch":"#.utf8)
            lines.append(contentsOf: numbers.quotedEpoch)
        } else {
            member("sequence", form.sequence, of: body, to: &lines)
            member("prev", form.previous, of: body, to: &lines)
            member("epoch", form.epoch, of: body, to: &lines)
        }
        member("mutation_id", form.mutationID, of: body, to: &lines)
        member("as_of", form.asOf, of: body, to: &lines)
        // What is no envelope stays, so that the line is refused for the same reason as the body would be.
        member("envelope", form.badEnvelope, of: body, to: &lines)
        if let broken = form.broken { appendBroken(body[broken], to: &lines) }
        if place.numbers != nil, form.isControl(body) {
            lines.append(contentsOf: #","event":"#.utf8)
            lines.append(contentsOf: ignored)
        } else {
            member("event", form.event, of: body, to: &lines)
            member("kind", form.kind, of: body, to: &lines)
        }
        lines.append(UInt8(ascii: "}"))
        lines.append(UInt8(ascii: "\n"))
    }

    /// Appends the line of a heartbeat.
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

    /// Returns the `sequence` of a body; nil when it has none that can be read.
    static func sequence(of body: [UInt8]) -> Int64? {
        body.withUnsafeBytes { bytes in
            Form(bytes, 0..<bytes.count).sequence.flatMap { Int64(String(decoding: bytes[$0], as: UTF8.self)) }
        }
    }

    /// Appends a member whose value is no JSON, with the text that was no JSON. As it stands the text could end the
    /// member and bring a library or a number of its own.
    private static func appendBroken(_ text: Slice<UnsafeRawBufferPointer>, to lines: inout [UInt8]) {
        lines.append(contentsOf: #","event":!"#.utf8)
        lines.append(contentsOf: quoted(ByteString(Array(text))))
    }

    private static func member(_ name: String, _ value: Int64, to lines: inout [UInt8]) {
        lines.append(contentsOf: ",\"".utf8)
        lines.append(contentsOf: name.utf8)
        lines.append(contentsOf: "\":".utf8)
        lines.append(contentsOf: String(value).utf8)
    }

    private static func member(
        _ name: String, _ value: Range<Int>?, of body: UnsafeRawBufferPointer, to lines: inout [UInt8]
    ) {
        guard let value else { return }
        lines.append(contentsOf: ",\"".utf8)
        lines.append(contentsOf: name.utf8)
        lines.append(contentsOf: "\":".utf8)
        let start = lines.count
        lines.append(contentsOf: body[value])
        // An LF between values is white space; in a string it is no JSON, and must not begin a line either.
        guard let first = lines[start...].firstIndex(of: UInt8(ascii: "\n")) else { return }
        for index in first..<lines.count where lines[index] == UInt8(ascii: "\n") { lines[index] = UInt8(ascii: " ") }
    }
}

extension StreamMessageLine {
    /// The parts of a body, in whichever form it is.
    private struct Form {
        var event: Range<Int>?
        var kind: Range<Int>?
        var badEnvelope: Range<Int>?
        /// The part that is no JSON.
        var broken: Range<Int>?
        var mutationID: Range<Int>?
        var asOf: Range<Int>?
        var sequence: Range<Int>?
        var previous: Range<Int>?
        var epoch: Range<Int>?

        init(_ body: UnsafeRawBufferPointer, _ range: Range<Int>, isWrapped: Bool = false) {
            // A bare event, a string, and whatever has no form: the decoder says what is wrong with it.
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
            guard let envelope = outline.envelope, !body[envelope].elementsEqual("null".utf8) else { return }
            guard let inner = BodyOutline(body, envelope) else {
                if body[envelope.lowerBound] == UInt8(ascii: "{") { broken = envelope } else { badEnvelope = envelope }
                return
            }
            // Of two members the one in the envelope counts, unless it is null.
            func inside(_ value: Range<Int>?, or outside: Range<Int>?) -> Range<Int>? {
                guard let value, !body[value].elementsEqual("null".utf8) else { return outside }
                return value
            }
            mutationID = inside(inner.mutationID, or: mutationID)
            asOf = inside(inner.asOf, or: asOf)
            sequence = inside(inner.sequence, or: sequence)
            previous = inside(inner.previous, or: previous)
            epoch = inside(inner.epoch, or: epoch)
        }

        /// Whether the event is a heartbeat or a reset.
        func isControl(_ body: UnsafeRawBufferPointer) -> Bool {
            guard let value = kind ?? event, let first = value.first else { return false }
            let name: Range<Int>?
            if body[first] == UInt8(ascii: "\"") {
                name = value.count > 1 ? value.lowerBound + 1..<value.upperBound - 1 : nil
            } else if body[first] == UInt8(ascii: "{"), value.count < 1_024 || kind != nil {
                // A heartbeat is short, and resources are long: only short objects are looked into.
                let outline = BodyOutline(body, value)
                name =
                    kind == nil
                    ? outline?.firstName
                    : outline?.type.map { $0.lowerBound + 1..<max($0.lowerBound + 1, $0.upperBound - 1) }
            } else {
                name = nil
            }
            guard let name else { return false }
            return body[name].elementsEqual("Heartbeat".utf8) || body[name].elementsEqual("Reset".utf8)
        }
    }
}
