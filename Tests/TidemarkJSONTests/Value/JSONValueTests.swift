import Foundation
import TestTraits
import Testing
import TidemarkJSON
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

@Suite(.pooled) struct JSONValueTests {
    private func parse(_ text: String) throws -> JSONValue { try JSONValue(parsing: text.utf8) }

    @Test func `a value is read and written back with every number as it came`() throws {
        let text =
            #"{"id":"1","big":18446744073709551615,"price":1.10,"e":1e5,"neg":-0,"list":[true,false,null,{}],"":[]}"#
        #expect(try parse(text).text == text)
        #expect(try parse(" \t\r\n" + text.replacingOccurrences(of: ",", with: " ,\n") + " ").text == text)
    }

    @Test func `members and elements are found by name, index and pointer`() throws {
        let value = try parse(#"{"a":{"b/c":[10,20]},"twice":1,"twice":2,"n":null}"#)
        #expect(value["a"]?["b/c"]?[1] == 20)
        #expect(value["twice"] == 2)
        #expect(value["n"] == .some(.null))
        #expect(value["none"] == nil)
        #expect(value["a"]?["b/c"]?[2] == nil)
        #expect(value["a"]?["b/c"]?[-1] == nil)
        #expect(value[0] == nil)
        let pointer = try #require(JSONPointer("/a/b~1c/0"))
        #expect(pointer.tokens == ["a", "b/c", "0"])
        #expect(pointer.description == "/a/b~1c/0")
        #expect(value[pointer: pointer] == 10)
        #expect(value[pointer: try #require(JSONPointer(""))] == value)
        #expect(JSONPointer("a") == nil)
    }

    @Test func `conversions return the value of the right kind, and nil otherwise`() throws {
        let values = try parse(#"[1,18446744073709551615,1.5,"x",true,null,-1,1.0]"#)
        let elements = try #require(values.elements)
        #expect(elements.map(\.int) == [1, nil, nil, nil, nil, nil, -1, nil])
        #expect(elements.map(\.int64) == [1, nil, nil, nil, nil, nil, -1, nil])
        #expect(elements.map(\.uint64) == [1, .max, nil, nil, nil, nil, nil, nil])
        #expect(elements.map(\.double) == [1, 0x1p64, 1.5, nil, nil, nil, -1, 1])
        #expect(elements.map(\.string) == [nil, nil, nil, "x", nil, nil, nil, nil])
        #expect(elements.map(\.bool) == [nil, nil, nil, nil, true, nil, nil, nil])
        #expect(elements.map(\.isNull) == [false, false, false, false, false, true, false, false])
    }

    @Test func `literals make values`() {
        let value: JSONValue = ["name": "Sea", "rating": 5, "ratio": 1.5, "draft": false, "tags": ["a", nil]]
        #expect(value.text == #"{"name":"Sea","rating":5,"ratio":1.5,"draft":false,"tags":["a",null]}"#)
    }

    @Test(arguments: [
        ("", 0), ("  ", 2), ("nul", 3), ("nulL", 3), ("[1,]", 3), ("[1 2]", 3), ("{\"a\"}", 4), ("{a:1}", 1),
        ("{\"a\":1,}", 7), ("01", 1), ("-", 1), ("1.", 2), ("1e+", 3), (".5", 0), ("+1", 0), ("\"a", 2),
        ("\"\\x\"", 2), ("\"\\u12g4\"", 5), ("\"a\nb\"", 2), ("1 1", 2), ("[", 1), ("NaN", 0), ("{\"a\":1", 6),
    ])
    func `a text that is not JSON is refused with its place`(text: String, byteOffset: Int) {
        let error = #expect(throws: JSONSyntaxError.self) { try parse(text) }
        #expect(error?.byteOffset == byteOffset, "\(text): \(error?.description ?? "")")
    }

    @Test func `bytes that are not UTF-8 are refused`() {
        for bytes: [UInt8] in [[0x22, 0xFF, 0x22], [0x22, 0xC3, 0x22], [0x22, 0xED, 0xA0, 0x80, 0x22]] {
            #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: bytes) }
        }
    }

    @Test func `nesting is bounded`() throws {
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(try parse(deep).text == deep)
        #expect(throws: JSONSyntaxError.self) { try parse("[" + deep + "]") }
        #expect(throws: JSONSyntaxError.self) { try parse(String(repeating: "[", count: 100_000)) }
        #expect(throws: JSONSyntaxError.self) { try JSONValue(parsing: "[[]]".utf8, nestingDepthMax: 1) }
    }

    @Test func `strings are compared as bytes`() throws {
        let (composed, decomposed) = (try parse("{\"\u{E9}\":\"\u{E9}\"}"), try parse("{\"e\u{301}\":\"e\u{301}\"}"))
        #expect(composed != decomposed)
        #expect(composed["e\u{301}"] == nil)
        #expect(composed["\u{E9}"] != decomposed["e\u{301}"])
        #expect(Set([composed, decomposed]).count == 2)
    }

    @Test func `escapes are read as their characters, and as few as possible are written`() throws {
        #expect(try parse(#""\u0041\ud83d\ude00\/\"\\\b\f\n\r\t\u001f""#).text == #""A😀/\"\\\b\f\n\r\t\u001f""#)
        #expect(try parse(#""\ud83d""#) == "\u{FFFD}")
        #expect(try parse(#""\ud83dx\udE00""#) == "\u{FFFD}x\u{FFFD}")
        #expect(try parse(#""\ud83d\u0041""#) == "\u{FFFD}A")
    }

    @Test func `a character that needs an escape is found at every place of a string`() {
        let escapes: [(Character, String)] = [
            ("\"", #"\""#), ("\\", #"\\"#), ("\u{8}", #"\b"#), ("\u{0}", #"\u0000"#), ("\u{1F}", #"\u001f"#),
            ("\u{7F}", "\u{7F}"), ("é", "é"), ("😀", "😀"),
        ]
        for length in 0..<20 {
            let text = String(repeating: "x", count: length)
            #expect(JSONValue.string(text).text == "\"\(text)\"")
            for place in 0...length {
                for (character, written) in escapes {
                    let (head, tail) = (text.prefix(place), text.suffix(length - place))
                    #expect(
                        JSONValue.string("\(head)\(character)\(tail)\(character)").text
                            == "\"\(head)\(written)\(tail)\(written)\"")
                }
            }
        }
    }

    @Test func `the canonical form sorts names by bytes and keeps the last of equal ones`() throws {
        let value = try parse(#"{"b":1.10,"a":[{"z":1,"y":2}],"B":3,"b":4,"é":5,"😀":6,"\uffff":7}"#)
        #expect(value.canonical.text == "{\"B\":3,\"a\":[{\"y\":2,\"z\":1}],\"b\":4,\"é\":5,\"\u{FFFF}\":7,\"😀\":6}")
    }

    @Test func `only the numbers of JSON are valid`() {
        for text in [
            "0", "-0", "1", "-12", "1.5", "0.10", "1e5", "1E-5", "-1.5e+300", "123456789012345678901234567890",
        ] {
            #expect(JSONNumber(text)?.text == text)
        }
        for text in ["", "-", "+1", "01", "1.", ".5", "1e", "1e+", "NaN", "inf", "0x1", " 1", "1 ", "1_0"] {
            #expect(JSONNumber(text) == nil, "\(text)")
        }
        #expect(JSONNumber(Double.infinity) == nil)
        #expect(JSONNumber(1.5)?.text == "1.5")
        #expect(JSONNumber(UInt64.max).text == "18446744073709551615")
    }

    @Test func `other coders read and write JSON values too`() throws {
        let text = #"{"a":[1,18446744073709551615,1.5,"x",true,null,{"b":{}}]}"#
        let value = try JSONDecoder().decode(JSONValue.self, from: Data(text.utf8))
        #expect(value == (try parse(text)))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        #expect(String(decoding: try encoder.encode(value), as: UTF8.self) == text)
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `the parser reads and refuses the same texts as the reference parser`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let resources = ResourceGenerator(ids: IdentifierPool(random: &random), writer: SpacedWriter(whiteSpace: 100))
        for _ in 0..<5 {
            var bytes = Array(resources.resource(&random).utf8)
            if random.chance(700) {
                let at = random.below(bytes.count)
                switch random.below(3) {
                case 0: bytes[at] = random.pick(Array(#"{}[]",:\0 e.-u"#.utf8))
                case 1: bytes.remove(at: at)
                default: bytes.removeSubrange(at...)
                }
            }
            let context: Comment = "seed \(seed): \(String(decoding: bytes, as: UTF8.self))"
            let isText = String(validating: bytes, as: UTF8.self) != nil
            guard isText, let reference = try? ReferenceJSONParser.parse(bytes) else {
                #expect(throws: JSONSyntaxError.self, context) { try JSONValue(parsing: bytes) }
                continue
            }
            let value = try JSONValue(parsing: bytes)
            #expect(matches(value, reference), context)
            #expect(try JSONValue(parsing: value.bytes) == value, context)
        }
    }

    private func matches(_ value: JSONValue, _ reference: ReferenceJSON) -> Bool {
        switch (value, reference) {
        case (.null, .null): true
        case (.bool(let flag), .bool(let wanted)): flag == wanted
        case (.number(let number), .number(let digits)): Array(number.text.utf8) == digits
        case (.string(let string), .string(let wanted)):
            wanted.hasLoneSurrogate ? string.contains("\u{FFFD}") : Array(string.utf8) == wanted.unescaped
        case (.array(let elements), .array(let wanted)):
            elements.count == wanted.count && zip(elements, wanted).allSatisfy(matches)
        case (.object(let members), .object(let wanted)):
            members.count == wanted.count
                && zip(members, wanted).allSatisfy {
                    matches(.string($0.name), .string($1.key)) && matches($0.value, $1.value)
                }
        default: false
        }
    }
}
