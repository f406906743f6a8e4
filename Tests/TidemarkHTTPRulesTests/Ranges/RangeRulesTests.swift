import TestTraits
import Testing
import TidemarkHTTPRules
import TidemarkModel

@Suite(.pooled) struct RangeRulesTests {
    private func ranged(_ range: String, _ more: String...) throws -> RequestHead {
        var sent = try request()
        sent.fields = fields(["Range: \(range)"] + more)
        return sent
    }

    /// RFC 9110, section 14.1.2, over a body of ten bytes.
    @Test(arguments: [
        ("bytes=0-4", RangeRules.Outcome.part(0..<5, ContentRange(bounds: 0..<5, total: 10))),
        ("bytes=5-", .part(5..<10, ContentRange(bounds: 5..<10, total: 10))),
        ("bytes=-3", .part(7..<10, ContentRange(bounds: 7..<10, total: 10))),
        ("bytes=-30", .part(0..<10, ContentRange(bounds: 0..<10, total: 10))),
        ("bytes=8-100", .part(8..<10, ContentRange(bounds: 8..<10, total: 10))),
        ("bytes=10-", .unsatisfiable(total: 10)), ("bytes=-0", .unsatisfiable(total: 10)),
        ("bytes=0-1,3-4", .parts([ContentRange(bounds: 0..<2, total: 10), ContentRange(bounds: 3..<5, total: 10)])),
        ("bytes=8-,0-1", .parts([ContentRange(bounds: 8..<10, total: 10), ContentRange(bounds: 0..<2, total: 10)])),
        ("bytes=0-1,2-4", .part(0..<5, ContentRange(bounds: 0..<5, total: 10))),
        ("bytes=6-7,0-1,1-8", .part(0..<9, ContentRange(bounds: 0..<9, total: 10))),
        ("bytes=0-1,20-30", .part(0..<2, ContentRange(bounds: 0..<2, total: 10))),
        ("bytes=20-30,-0", .unsatisfiable(total: 10)), ("bytes=0-1,x", .lacking), ("items=0-1", .lacking),
    ])
    func `a whole answer serves a range`(range: String, outcome: RangeRules.Outcome) throws {
        #expect(RangeRules.outcome(try ranged(range), stored(200, [])) == outcome)
    }

    @Test(arguments: [
        ("bytes=2-4", RangeRules.Outcome.part(0..<3, ContentRange(bounds: 2..<5, total: 10))),
        ("bytes=3-3", .part(1..<2, ContentRange(bounds: 3..<4, total: 10))),
        ("bytes=2-2,3-4", .part(0..<3, ContentRange(bounds: 2..<5, total: 10))), ("bytes=2-2,4-4", .lacking),
        ("bytes=0-4", .lacking), ("bytes=2-5", .lacking), ("bytes=3-", .lacking), ("bytes=-2", .lacking),
    ])
    func `a part serves a range within it`(range: String, outcome: RangeRules.Outcome) throws {
        let part = stored(206, ["Content-Range: bytes 2-4/10"], byteCount: 3)
        #expect(RangeRules.outcome(try ranged(range), part) == outcome)
        #expect(RangeRules.outcome(try request(), part) == .lacking)
    }

    /// RFC 9110, section 14.6.
    @Test func `several parts are one message`() {
        let parts = [ContentRange(bounds: 8..<10, total: 10), ContentRange(bounds: 0..<2, total: 10)]
        let message = RangeMessage(parts, of: answer(200, "Content-Type: text/plain"), boundary: "b")
        #expect(message.type == "multipart/byteranges; boundary=b")
        let text =
            "\r\n--b\r\nContent-Type: text/plain\r\nContent-Range: bytes 8-9/10\r\n\r\n89"
            + "\r\n--b\r\nContent-Type: text/plain\r\nContent-Range: bytes 0-1/10\r\n\r\n01\r\n--b--\r\n"
        #expect(message.body(Array("0123456789".utf8)) == Array(text.utf8))
    }

    /// RFC 9110, section 13.1.5.
    @Test func `a range counts only for the answer that If-Range names`() throws {
        let old = stored(200, ["ETag: \"a\"", "Last-Modified: \(cameText)"])
        let part = RangeRules.Outcome.part(0..<2, ContentRange(bounds: 0..<2, total: 10))
        #expect(RangeRules.outcome(try ranged("bytes=0-1", "If-Range: \"a\""), old) == part)
        #expect(RangeRules.outcome(try ranged("bytes=0-1", "If-Range: \"b\""), old) == .whole)
        #expect(RangeRules.outcome(try ranged("bytes=0-1", "If-Range: W/\"a\""), old) == .whole)
        #expect(RangeRules.outcome(try ranged("bytes=0-1", "If-Range: \(cameText)"), old) == part)
        #expect(RangeRules.outcome(try ranged("bytes=0-1", "If-Range: x"), old) == .whole)
    }

    @Test func `parts of one answer are combined`() {
        let old = stored(206, ["Content-Range: bytes 0-4/10", "ETag: \"a\""], byteCount: 5)
        func combined(_ range: String, _ tag: String = "\"a\"") -> Range<Int64>? {
            RangeRules.combined(old, with: answer(206, "Content-Range: \(range)", "ETag: \(tag)"))?.bounds
        }
        #expect(combined("bytes 5-9/10") == 0..<10)
        #expect(combined("bytes 3-7/10") == 0..<8)
        #expect(combined("bytes 6-9/10") == nil)
        #expect(combined("bytes 5-9/11") == nil)
        #expect(combined("bytes 5-9/*") == nil)
        #expect(combined("bytes 5-9/10", "\"b\"") == nil)
        #expect(combined("bytes 5-9/10", "W/\"a\"") == nil)
        let whole = stored(200, ["ETag: \"a\""])
        #expect(
            RangeRules.combined(whole, with: answer(206, "Content-Range: bytes 5-9/10", "ETag: \"a\""))?.bounds
                == 0..<10)
    }
}
