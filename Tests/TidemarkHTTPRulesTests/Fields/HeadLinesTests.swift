import TestTraits
import Testing
import TidemarkHTTPRules
import TidemarkModel
import TidemarkTesting

/// Lines of heads. The rule behind all of them: no line that restricts what may be done with an answer gets lost.
@Suite(.pooled) struct HeadLinesTests {
    private func head(_ lines: [String], status: String = "HTTP/1.1 200 OK") throws -> ResponseHead? {
        var parser = HeadLines()
        for line in [status] + lines + [""] { try parser.append(Array(line.utf8) + [0x0D, 0x0A]) }
        return parser.head
    }

    private func fields(_ lines: String...) throws -> [String]? {
        try head(lines)?.fields.fields.map { "\($0.name): \($0.value)" }
    }

    /// RFC 9112, section 5.2.
    @Test func `a folded field is one field, its fold a space`() throws {
        #expect(try fields("Cache-Control: max-age=60,", " no-store") == ["Cache-Control: max-age=60, no-store"])
        #expect(try fields("A: 1", "\t\t 2  ", "   ", " 3", "B: 4") == ["A: 1 2 3", "B: 4"])
        #expect(try fields("A:", " 1") == ["A: 1"])
        let folded = try head(["Cache-Control: max-age=60,", "\tno-store"])
        #expect(folded.map { CacheDirectives($0.fields).noStore } == true)
    }

    @Test func `a fold that continues nothing is nothing`() throws {
        #expect(try fields(" A: 1", "B: 2") == ["B: 2"])
        #expect(try fields("A: 1", "Bad name: 2", " 3") == ["A: 1"])
        #expect(try fields("A: 1", "no colon", " 3") == ["A: 1"])
    }

    /// RFC 9112, section 5.1; RFC 9110, section 5.5.
    @Test func `spaces before a colon and control characters take no line away`() throws {
        #expect(try fields("Cache-Control : no-store") == ["Cache-Control: no-store"])
        #expect(try fields("Cache-Control: no-store\u{0}") == ["Cache-Control: no-store "])
        #expect(try head(["Cache-Control: \u{1}no-store"]).map { CacheDirectives($0.fields).noStore } == true)
    }

    @Test func `a reason keeps its bytes, and interim heads are dropped`() throws {
        var parser = HeadLines()
        for line in ["HTTP/1.1 103 Early", "A: 1", "", "HTTP/1.1 404 Non trouv"] {
            try parser.append(Array(line.utf8) + (line.hasSuffix("v") ? [0xE9] : []) + [0x0A])
        }
        try parser.append(Array("B: 2\r\n".utf8))
        try parser.append([0x0D, 0x0A])
        try parser.append(Array("Trailer: 3\r\n".utf8))
        #expect(parser.head?.status == 404 && parser.head?.fields.fields.map(\.name) == ["B"])
        #expect(parser.head?.reason == ByteString(Array("Non trouv".utf8) + [0xE9]))
    }

    @Test func `a head that is too long is none`() throws {
        let many = (0...HeaderFields.countMax).map { "A\($0): 1" }
        #expect(throws: HeadLines.Fault.tooLong) { try head(many) }
        let long = String(repeating: "x", count: 70_000)
        #expect(throws: HeadLines.Fault.tooLong) { try head(Array(repeating: "A: \(long)", count: 4)) }
        #expect(throws: HeadLines.Fault.tooLong) { try head(["A: 1"] + Array(repeating: " \(long)", count: 4)) }
        #expect(try head(Array(many.dropLast())) != nil)
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `any lines give fields that may be sent on`(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        var parser = HeadLines()
        let bytes = Array("HTTP/1. 20A:\t\r\n\u{0}\u{7F}".utf8) + [0xE9, 0xFF]
        do throws(HeadLines.Fault) {
            try parser.append(Array("HTTP/1.1 200\r\n".utf8))
            for _ in 0..<40 {
                try parser.append((0..<random.below(20)).map { _ in bytes[random.below(bytes.count)] } + [0x0A])
            }
            try parser.append([0x0A])
        } catch {
            Issue.record("seed \(seed): a short head is too long")
        }
        for field in parser.head?.fields.fields ?? [] {
            #expect(HeaderFields.fault(name: field.name, value: field.value) == nil, "seed \(seed)")
        }
    }
}
