import TestTraits
import Testing
import TidemarkModel
import TidemarkTesting

import TidemarkJSON
@testable import TidemarkStore

@Suite(.pooled) struct CompactJSONTests {
    @Test(arguments: [
        "{}", #"{"a":1}"#, #"{"a":[],"b":{},"c":[[],{"d":null}],"e":-1.5E+10}"#, #"{"\u00e9\"\\":"é \/\n"}"#,
        #"{"":[true,false,[1,2,{"x":[0]}]]}"#,
    ])
    func `objects without white space are accepted`(text: String) {
        #expect(CompactJSON.isObject(Array(text.utf8)))
    }

    @Test(arguments: [
        "", "{", "}", "[]", "1", "null", #""a""#, "{} ", " {}", #"{ "a":1}"#, #"{"a": 1}"#, #"{"a":1,}"#, #"{"a"}"#,
        #"{"a":}"#, #"{"a":1"#, #"{"a":1]"#, #"{"a":[1}"#, #"{"a":[1,]}"#, #"{"a":[,1]}"#, #"{a:1}"#, #"{"a":1}{}"#,
        #"{"a":"#, #"{"a":"x}"#, #"{"a":"\"#, #"{"a":"\x"}"#, #"{"a":"\u12"}"#, #"{"a":"\u12g4"}"#, "{\"a\":\"\n\"}",
        #"{"a":1"b":2}"#, #"{,"a":1}"#, #"{"a":[1 2]}"#,
    ])
    func `other texts are refused`(text: String) {
        #expect(!CompactJSON.isObject(Array(text.utf8)))
    }

    @Test func `accepted objects can be folded, also after random damage`() {
        let whole = Array(#"{"id":"1","a":[1,{"b":"\u00e9\"x"}],"c":{"d":null,"e":1.10},"f":true}"#.utf8)
        var random = SeededGenerator(seed: 12)
        let key = StoredKey(library: 0, type: 0, id: .text("1"))
        var takenCount = 0
        for _ in 0..<60_000 {
            var bytes = whole
            for _ in 0...random.below(3) {
                let place = random.below(bytes.count)
                switch random.below(3) {
                case 0: bytes[place] = Array(#"{}[]",:\u1 "#.utf8)[random.below(11)]
                case 1: bytes.remove(at: place)
                default: bytes.insert(whole[random.below(whole.count)], at: place)
                }
            }
            guard CompactJSON.isObject(bytes) else { continue }
            takenCount += 1
            // A fault in the fold would end the process.
            let change = LayerChange.patch(key, fields: bytes, unset: ["c"])
            #expect(LayerFold.apply(change, to: whole) != nil)
            #expect(LayerFold.apply(.removeField(key, "a"), to: bytes) != nil)
        }
        #expect(takenCount > 1_000)
    }
}
