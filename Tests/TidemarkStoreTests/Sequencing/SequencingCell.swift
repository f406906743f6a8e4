import Foundation
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTestKit

/// One case of a cell of Protocol/sequencing.md: a state, an input, and the whole outcome.
///
/// - Source: Protocol/vectors/sequencing.json; its form is in Protocol/vectors/README.md.
struct SequencingCell: Sendable, CustomStringConvertible {
    /// The cell's id on the page, such as `live/ahead`.
    let id: String
    /// The difference of this case from others of the cell; empty when it is the only one.
    let note: String
    /// The steps that lead to the state.
    let start: [ReferenceJSON]
    /// The steps of the case itself.
    let steps: [ReferenceJSON]
    let hasUpstream: Bool
    let heldEventCountMax: Int?
    let heldByteCountMax: Int?
    let expected: String

    var description: String { note.isEmpty ? id : "\(id), \(note)" }

    /// A file that does not have the form of its page.
    private struct Malformed: Error {
        var place: String
    }

    /// Returns the cases of the file, in its order.
    static func all() throws -> [SequencingCell] {
        let path = ProtocolVector.protocolFolder.appending(path: "vectors/sequencing.json")
        let file = try ReferenceJSONParser.parse(Array(try Data(contentsOf: path)))
        guard let cases = file.member("cases")?.elements, let states = file.member("states") else {
            throw Malformed(place: "the file")
        }
        return try cases.map { try SequencingCell($0, states: states) }
    }

    private init(_ json: ReferenceJSON, states: ReferenceJSON) throws {
        func text(_ name: String) -> String? { json.member(name)?.text.map { String(decoding: $0, as: UTF8.self) } }
        guard let id = text("cell"), let start = text("from").flatMap({ states.member($0)?.elements }),
            let steps = json.member("steps")?.elements, let expected = text("gives")
        else { throw Malformed(place: String(decoding: json.written, as: UTF8.self)) }
        self.id = id
        note = text("note") ?? ""
        self.start = start
        self.steps = steps
        self.expected = expected
        hasUpstream = json.member("upstream") == .bool(true)
        heldEventCountMax = json.member("held_events")?.number.map { Int($0) }
        heldByteCountMax = json.member("held_bytes")?.number.map { Int($0) }
    }

    /// Runs the case.
    func outcome() throws -> String {
        var limits = Limits()
        if let heldEventCountMax { limits.heldEventCountMax = heldEventCountMax }
        if let heldByteCountMax { limits.heldByteCountMax = heldByteCountMax }
        let fixture = try SequencingFixture(hasUpstream: hasUpstream, limits: limits)
        for step in start { try SequencingCell.perform(step, fixture) }
        fixture.begin()
        for step in steps { try SequencingCell.perform(step, fixture) }
        fixture.checkInvariants()
        return fixture.outcome
    }

    private static func perform(_ step: ReferenceJSON, _ fixture: SequencingFixture) throws {
        let attempt = UInt64(step.member("attempt")?.number ?? 1)
        if let line = step.member("line") {
            try fixture.feed(line.text ?? line.written)
        } else if let milliseconds = step.member("window_ms")?.number {
            fixture.windowExpires(after: milliseconds)
        } else if let milliseconds = step.member("pass_ms")?.number {
            fixture.pass(milliseconds: milliseconds)
        } else if step.member("end") != nil {
            fixture.inputEnds()
        } else if let lines = step.member("answer")?.elements {
            try fixture.answer(
                lines.map { $0.text ?? $0.written }, attempt: attempt,
                coveredThrough: step.member("covered_through")?.number)
        } else if let attempt = step.member("fail")?.number {
            fixture.fail(attempt: UInt64(attempt), isFinal: step.member("final") == .bool(true))
        } else if let attempt = step.member("pause_ends")?.number {
            fixture.pauseEnds(attempt: UInt64(attempt))
        } else if step.member("query_answered") != nil {
            try fixture.refreshQuery()
        } else {
            throw Malformed(place: String(decoding: step.written, as: UTF8.self))
        }
    }
}

extension ReferenceJSON {
    /// The value of an integer; nil for every other value.
    fileprivate var number: Int64? { integerText.flatMap { Int64(String(decoding: $0, as: UTF8.self)) } }
}
