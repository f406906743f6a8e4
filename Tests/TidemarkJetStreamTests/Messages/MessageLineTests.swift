import TestTraits
import Testing
import TidemarkModel
import TidemarkTesting
import TidemarkWire

@testable import TidemarkJetStream

@Suite(.pooled) struct MessageLineTests {
    /// The event that a body becomes at message 9 of library `L`, after message 4.
    private func event(_ body: String, ofBody: Bool = false) throws -> (event: ChangeEvent, texts: [String: String]) {
        var lines: [UInt8] = []
        let numbers = MessagePlace.Numbers(sequence: 9, previous: 4, quotedEpoch: Array(#""S@t""#.utf8))
        Array(body.utf8).withUnsafeBytes {
            StreamMessageLine.append(
                $0, at: MessagePlace(quotedLibrary: quoted("L"), numbers: ofBody ? nil : numbers), to: &lines)
        }
        #expect(lines.last == UInt8(ascii: "\n") && lines.dropLast().allSatisfy { $0 != UInt8(ascii: "\n") })
        let batches = try EventDecoder(limits: Limits()).batches(of: lines)
        let events = batches.flatMap(\.events)
        #expect(events.count == 1, "\(String(decoding: lines, as: UTF8.self))")
        let event = try #require(events.first)
        let texts = batches[0].withBytes { bytes in
            var texts: [String: String] = [:]
            for (name, range) in [
                ("library", event.library), ("epoch", event.epoch), ("mutation", event.mutationID),
                ("type", event.type),
                ("detail", event.detail),
            ] where !range.isAbsent {
                texts[name] = String(decoding: bytes[range], as: UTF8.self)
            }
            return texts
        }
        return (event, texts)
    }

    @Test(arguments: [
        #"{"ResourceChanged":{"resource_type":"file","resource":{"id":"1"}}}"#,
        #"{"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"1"}}}}"#,
        #"{"library_id":"other","sequence":77,"prev":70,"epoch":"e","event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"1"}}}}"#,
        #"{"envelope":{"library_id":"other","sequence":77,"epoch":"e"},"kind":{"type":"ResourceChanged","data":{"resource_type":"file","resource":{"id":"1"}}}}"#,
        #"{"Event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"1"}}}}"#,
        #"{"Event":{"sequence":5,"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"1"}}}}}"#,
        "  {\n \"ResourceChanged\" : {\r\n\"resource_type\":\"file\",\n\"resource\":{\"id\":\"1\"}} }\n",
        #"{"sequence":"bad","event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"1"}}}}"#,
        #"{"event":{"x":1},"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"1"}}}}"#,
        #"{"envelope":null,"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"1"}}}}"#,
    ])
    func `every form of an event gets the message's place`(body: String) throws {
        let (event, texts) = try event(body)
        #expect(event.kind == .changed && event.sequence == EventSequence(9) && event.previous == EventSequence(4))
        #expect(texts["library"] == "L" && texts["epoch"] == "S@t" && texts["type"] == "file")
    }

    @Test func `the mutation of a body stays, and the envelope's counts`() throws {
        let outside = try event(#"{"mutation_id":"m1","event":"Refresh"}"#)
        #expect(outside.texts["mutation"] == "m1" && outside.event.kind == .refresh)
        let inside = try event(#"{"mutation_id":"m1","envelope":{"mutation_id":"m2","sequence":3},"event":"Refresh"}"#)
        #expect(inside.texts["mutation"] == "m2")
        let null = try event(#"{"mutation_id":"m1","envelope":{"mutation_id":null},"event":"Refresh"}"#)
        #expect(null.texts["mutation"] == "m1")
    }

    @Test(arguments: [
        #"{"Heartbeat":{"last_sequence":3}}"#, #"{"event":{"Heartbeat":{"last_sequence":3}}}"#,
        #"{"kind":{"type":"Heartbeat","data":{"last_sequence":3}}}"#, #"{"Reset":{"epoch":"e"}}"#,
        #"{"epoch":"e","event":"Reset"}"#, #"{"epoch":"e","kind":"Reset"}"#, #""Reset""#,
        " \r\n\"Reset\"\t", #"{"Event":{"Heartbeat":{"last_sequence":3}}}"#,
        #"{"Heartbeat":{"last_sequence":3,"x":"\#(String(repeating: "x", count: 2_000))"}}"#,
        #"{"event":{"Reset":{"epoch":"\#(String(repeating: "e", count: 2_000))"}}}"#,
    ])
    func `a heartbeat or reset keeps its number and does nothing`(body: String) throws {
        let (event, texts) = try event(body)
        #expect(event.kind == .unknown && event.sequence == EventSequence(9) && texts["library"] == "L")
    }

    @Test(arguments: [
        "", "broken", #"{"event":{"Res"#, "[1,2]", "5", "{}", #"{"a":1,"b":2}"#, #"{"envelope":5,"event":"Refresh"}"#,
        #"{"jsonrpc":"2.0","id":1,"method":"cache.stats"}"#, #"{"ResourceChanged":5}"#, "{\"event\":\"Ref\nresh",
        #"{"Event":{"Event":"Refresh"},"x":1}"#,
        #"{"envelope":{"sequence":7,"e"},"event":"Refresh"}"#, #"{"envelope":{"sequence":7},"#,
        #""Refresh","sequence":7"#, #"{"Refresh":null},"sequence":7,"library_id":"other""#, #"5,"sequence":7,"x":6"#,
        #"[1],"envelope":{"sequence":7}"#, #"{"envelope":[{"sequence":7}],"event":"Refresh"}"#,
        #"{"envelope":x{"sequence":7},"event":"Refresh"}"#, "null,\n\"sequence\":7",
        "\u{1}\"Refresh\"", "{\"event\":\u{2}\"Refresh\"}",
    ])
    func `a body that is no event is a line with a number that cannot be used`(body: String) throws {
        let (event, texts) = try event(body)
        #expect(event.kind == .unusable && event.sequence == EventSequence(9), "\(event.kind) \(event.sequence as Any)")
        #expect(event.isLibraryKnown && texts["library"] == "L")
    }

    @Test func `in body numbering the body's numbers count`() throws {
        let flat = try event(
            #"{"library_id":"other","sequence":77,"prev":70,"epoch":"e","event":{"Heartbeat":{"last_sequence":77}}}"#,
            ofBody: true)
        #expect(flat.event.kind == .heartbeat && flat.event.sequence == EventSequence(77))
        #expect(flat.event.previous == EventSequence(70) && flat.texts["epoch"] == "e" && flat.texts["library"] == "L")
        let enveloped = try event(#"{"envelope":{"sequence":78},"sequence":5,"event":"Refresh"}"#, ofBody: true)
        #expect(enveloped.event.sequence == EventSequence(78))
        #expect(try event(#""Refresh""#, ofBody: true).event.sequence == nil)
        #expect(StreamMessageLine.sequence(of: Array(#"{"envelope":{"sequence":78},"event":"Refresh"}"#.utf8)) == 78)
        #expect(StreamMessageLine.sequence(of: Array("broken".utf8)) == nil)
    }

    @Test func `bodies that were cut or spoiled anywhere stay one line`() throws {
        var random = SeededGenerator(seed: 11)
        let whole = Array(
            #"{"envelope":{"sequence":3,"mutation_id":"m"},"event":{"BatchChanged":{"resource_type":"file","resources":[{"id":"a\"b"},{"id":"2","x":[1,{"y":"}"}]}]}}}"#
                .utf8)
        for _ in 0..<3_000 {
            var body = Array(whole.prefix(random.below(whole.count + 1)))
            for _ in 0..<random.below(4) where !body.isEmpty {
                body[random.below(body.count)] = [10, 34, 92, 123, 125, 91, 93, 0, 255, 44][random.below(10)]
            }
            var lines: [UInt8] = []
            let numbers = MessagePlace.Numbers(sequence: 9, previous: 4, quotedEpoch: Array(#""S@t""#.utf8))
            body.withUnsafeBytes {
                StreamMessageLine.append($0, at: MessagePlace(quotedLibrary: quoted("L"), numbers: numbers), to: &lines)
            }
            let events = try EventDecoder(limits: Limits()).batches(of: lines).flatMap(\.events)
            #expect(events.count == 1 && events.first?.kind != .message)
            #expect(events.first?.sequence == EventSequence(9), "\(String(decoding: lines, as: UTF8.self))")
        }
    }

    @Test func `places are read from the subject of an acknowledgement`() {
        func place(_ text: String) -> DeliveryPlace? { Array(text.utf8).withUnsafeBytes { DeliveryPlace(reply: $0) } }
        let old = place("$JS.ACK.S.c.1.19505.7.1700000000.12")
        #expect(old?.sequence == 19_505 && old?.consumerSequence == 7 && old?.pendingCount == 12)
        let new = place("$JS.ACK.hub.abc.S.c.1.19505.7.1700000000.12.rnd")
        #expect(new == old)
        for bad in [
            "", "$JS.ACK.", "$JS.ACK.S.c.1.x.7.1.12", "$JS.ACK.S.c.1.19505.7.17", "_INBOX.a.1", "$JS.ACK.S.c.1..7.1.12",
        ] {
            #expect(place(bad) == nil, "\(bad)")
        }
        #expect(place("$JS.ACK.S.c.1.99999999999999999999.7.1.12") == nil)
    }

    @Test func `base64 is what the standard says`() {
        #expect(Base64.bytes([]) == [])
        #expect(Base64.bytes(Array("Zm9vYg==".utf8)) == Array("foob".utf8))
        #expect(Base64.bytes(Array("Zm9vYmE=".utf8)) == Array("fooba".utf8))
        #expect(Base64.bytes(Array("+/+/".utf8)) == [0xFB, 0xFF, 0xBF])
        for bad in ["Zg", "Z===", "Zg=a", "Zm9v!mFy", "=Zm9"] {
            #expect(Base64.bytes(Array(bad.utf8)) == nil, "\(bad)")
        }
    }
}
