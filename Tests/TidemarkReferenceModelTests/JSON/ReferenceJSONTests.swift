import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTesting

@Suite(.pooled) struct ReferenceJSONTests {
    @Test(arguments: [
        #"{"a":[1,2.50,-0,1e5,18446744073709551615],"b":{"c":null,"d":true},"e":""}"#, #""\u00e9\/é\ud83d\ude00""#,
        "[]", "{}", "0", "-1.5E-3", #"{"a":1,"a":2}"#, #""\ud800""#,
    ])
    func `a value without white space is written as it was read`(_ source: String) throws {
        let bytes = Array(source.utf8)
        #expect(try ReferenceJSONParser.parse(bytes).written == bytes)
    }

    @Test func `white space between tokens is removed, inside strings it stays`() throws {
        let value = try ReferenceJSONParser.parse(Array(" { \"a b\" :\r\n[ 1 ,\t\" x \" ] } ".utf8))
        #expect(value.description == #"{"a b":[1," x "]}"#)
    }

    @Test(arguments: [
        "", " ", "{", "}", "[1,]", "{\"a\":}", "{,}", "01", "1.", ".5", "+1", "1e", "--1", "nul", "True", "\"",
        "\"\\x\"",
        "\"\\u12\"", "\"\u{1}\"", "1 2", "{\"a\" 1}", "{a:1}", "'a'", "\u{FEFF}1", "\u{A0}1",
    ])
    func `broken grammar is refused`(_ source: String) {
        #expect(throws: ReferenceJSONError.notJSON) { try ReferenceJSONParser.parse(Array(source.utf8)) }
    }

    @Test func `sixty-four open containers are accepted and one more is refused`() throws {
        func nested(_ count: Int) -> [UInt8] {
            Array((String(repeating: "[", count: count) + String(repeating: "]", count: count)).utf8)
        }
        #expect(try ReferenceJSONParser.parse(nested(64)).written == nested(64))
        #expect(throws: ReferenceJSONError.tooDeep) { try ReferenceJSONParser.parse(nested(65)) }
    }

    @Test func `siblings do not add to the depth`() throws {
        let wide = "[" + Array(repeating: "[[]]", count: 100).joined(separator: ",") + "]"
        #expect(try ReferenceJSONParser.parse(Array(wide.utf8), nestingMax: 3).elements?.count == 100)
    }

    @Test func `escapes and raw characters have the same meaning`() throws {
        let escaped = try ReferenceJSONParser.parse(Array(#""\u0041\u00e9\ud83d\ude00\n\/""#.utf8))
        #expect(escaped.text == Array("A\u{E9}\u{1F600}\n/".utf8))
    }

    @Test(arguments: [#""\ud800""#, #""\udc00""#, #""\ud800\u0041""#, #""\ud800x""#, #""\ud800\ud800\udc00""#])
    func `a lone surrogate is valid JSON and has no text`(_ source: String) throws {
        let value = try ReferenceJSONParser.parse(Array(source.utf8))
        #expect(value.text == nil)
        #expect(value.description == source)
    }

    @Test func `UTF-8 is judged as the standard library judges it`() {
        var random = SeededGenerator(seed: 7)
        let interesting: [UInt8] = [
            0x00, 0x41, 0x7F, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC1, 0xC2, 0xDF, 0xE0, 0xE1, 0xEC, 0xED, 0xEE,
            0xEF, 0xF0, 0xF1, 0xF3, 0xF4, 0xF5, 0xFF,
        ]
        var validCount = 0
        var disputed: [[UInt8]] = []
        for _ in 0..<100_000 {
            let bytes = (0..<random.below(5)).map { _ in random.pick(interesting) }
            let isValid = String(validating: bytes, as: UTF8.self) != nil
            if ReferenceUTF8.isValid(bytes) != isValid { disputed.append(bytes) }
            if isValid { validCount += 1 }
        }
        #expect(disputed.isEmpty)
        #expect(validCount > 1_000)
    }
}
