import TestTraits
import Testing
import TidemarkModel
import TidemarkWire

@testable import FuzzTargets

/// A decoder knows the layouts of lines that it read before. Its events of a line must not depend on them.
@Suite(.pooled) struct LineLayoutTests {
    private static let resource = #"{"id":"f1","n":1,"in":{"a":[1,"x"]}}"#

    static let layouts: [String] = [
        #"{"library_id":"a","sequence":12,"event":{"ResourceChanged":{"resource_type":"file","resource":\#(resource)}}}"#,
        #"{"event":{"ResourceChanged":{"resource":\#(resource),"resource_type":"file","other":[{"a":1}]}},"sequence":3,"prev":2}"#,
        #"{"envelope":{"id":"e","timestamp":"2026","library_id":"a","sequence":2},"kind":{"type":"ResourceChanged","data":{"resource_type":"album","resource":\#(resource)}}}"#,
        #"{"ResourceChanged":{"resource_type":"file","resource":\#(resource)}}"#,
        #"{ "epoch" : "e1" , "library_id":null,"mutation_id":"m","as_of":7, "event": {"ResourceChanged":{"resource_type":"a.b-c","resource":\#(resource)} } } "#,
        #"{"Event":{"library_id":"a","sequence":5,"event":{"ResourceChanged":{"resource_type":"file","resource":\#(resource)}}}}"#,
        #"{"sequence":1,"kind":{"data":{"resource_type":"file","resource":\#(resource)},"type":"ResourceChanged"},"sequence":4}"#,
        #"{"sequence":922337203685477580,"event":{"ResourceChanged":{"resource_type":"file","resource":{"uuid":"00000000-0000-4000-8000-000000000001"}}}}"#,
    ]

    private static let bytes: [UInt8] = Array("\"\\{}[]:,-.0 9eEnx\r\t\u{1}".utf8) + [0x80, 0xC3]

    private func events(of line: [UInt8], _ decoder: EventDecoder) throws -> [DecodedEvent] {
        try decoder.batches(of: line).flatMap { DecodedEvent.all(of: $0) }
    }

    @Test(arguments: layouts)
    func `a line with any one byte changed is read as by a decoder that knows no layout`(layout: String) throws {
        var limits = Limits()
        limits.nestingDepthMax = 8
        let knowing = try EventDecoder(limits: limits)
        let line = Array(layout.utf8)
        let known = try events(of: line, knowing)
        func check(_ changed: [UInt8]) throws {
            let found = try events(of: changed, knowing)
            let wanted = try events(of: changed, EventDecoder(limits: limits))
            #expect(found == wanted, "\(changed.text)")
            // The line is read twice: its layout is known again, whatever the changed line left.
            for _ in 0..<2 { #expect(try events(of: line, knowing) == known, "behind \(changed.text)") }
        }
        try check(line)
        for place in line.indices {
            for byte in Self.bytes {
                var changed = line
                changed[place] = byte
                try check(changed)
                changed = line
                changed.insert(byte, at: place)
                try check(changed)
            }
            var changed = line
            changed.remove(at: place)
            try check(changed)
            try check(Array(line[..<place]))
        }
    }

    @Test func `resources at and past the depth limit are read or refused in every layout`() throws {
        for layout in Self.layouts {
            for depth in 1...6 {
                var limits = Limits()
                limits.nestingDepthMax = 6
                let knowing = try EventDecoder(limits: limits)
                let nested = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
                let plain = layout.replacing(Self.resource, with: #"{"id":"f"}"#)
                let deep = layout.replacing(Self.resource, with: #"{"id":"f","n":\#(nested)}"#)
                for line in [plain, plain, deep, plain, deep] {
                    let wanted = try events(of: Array(line.utf8), EventDecoder(limits: limits))
                    #expect(try events(of: Array(line.utf8), knowing) == wanted, "\(line)")
                }
            }
        }
    }

    @Test func `resources without an id are read in every layout as by a new decoder`() throws {
        let layouts =
            Self.layouts + [
                #"{"library_id":null,"event":{"ResourceChanged":{"resource_type":"file","resource":\#(Self.resource)}}}"#
            ]
        for layout in layouts {
            let knowing = try EventDecoder()
            for line in [layout, layout, layout.replacing(Self.resource, with: "{}"), layout] {
                let wanted = try events(of: Array(line.utf8), EventDecoder())
                #expect(try events(of: Array(line.utf8), knowing) == wanted, "\(line)")
            }
        }
    }

    @Test func `lines of any two layouts in turns are read as each by itself`() throws {
        for first in Self.layouts {
            for second in Self.layouts {
                let knowing = try EventDecoder()
                for line in [first, first, second, first, second, second, second, first] {
                    let wanted = try events(of: Array(line.utf8), EventDecoder())
                    #expect(try events(of: Array(line.utf8), knowing) == wanted, "\(line)")
                }
            }
        }
    }

    @Test func `other values in a known layout are read as by a new decoder`() throws {
        let knowing = try EventDecoder()
        func line(_ library: String, _ sequence: String, _ type: String, _ resource: String) -> [UInt8] {
            Array(
                #"{"library_id":\#(library),"sequence":\#(sequence),"event":{"ResourceChanged":{"resource_type":\#(type),"resource":\#(resource)}}}"#
                    .utf8)
        }
        let long = String(repeating: "x", count: 1_025)
        for library in [#""a""#, #""""#, "null", "1", #""\u0061""#, "\"\(long)\"", #""a" "#] {
            for sequence in [
                "1", "0", "01", "-1", "1.0", "1e1", "9223372036854775807", "9223372036854775808", "null", " 7",
            ] {
                for type in [#""file""#, #""""#, #""a b""#, "\"\(long)\"", "null"] {
                    for resource in [Self.resource, "{}", "5", #"{"id":""}"#, #"{ "id" : 7 }"#, #"{"id":"\n"}"#] {
                        for text in [
                            line(#""a""#, "1", #""file""#, Self.resource), line(library, sequence, type, resource),
                        ] {
                            #expect(try events(of: text, knowing) == events(of: text, EventDecoder()), "\(text.text)")
                        }
                    }
                }
            }
        }
    }
}
