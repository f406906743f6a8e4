import TidemarkJSON
import TestTraits
import Testing
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTesting

/// Reading of validated JSON, against the reference parser.
@Suite(.pooled) struct JSONSliceTests {
    private func value(_ text: String) -> JSONSlice { JSONSlice(validated: Array(text.utf8)[...]) }

    /// Compares both readings of a value at every depth.
    private func differences(_ value: JSONSlice, _ wanted: ReferenceJSON) -> [String] {
        if Array(value.bytes) != wanted.written {
            return ["\(wanted) is \(String(decoding: value.bytes, as: UTF8.self))"]
        }
        var problems: [String] = []
        if value.text != wanted.text { problems.append("text of \(wanted)") }
        if let members = wanted.members {
            let names = Set(members.map(\.key.unescaped))
            if value.members.map({ Set($0.keys) }) != names { problems.append("names of \(wanted)") }
            for member in members {
                // The last of several members with one name counts.
                guard let last = members.last(where: { $0.key.unescaped == member.key.unescaped })?.value,
                    let found = value.members?[member.key.unescaped]
                else { return ["\(member.key) of \(wanted) is missing"] }
                problems += differences(found, last)
            }
        } else if value.members != nil {
            problems.append("members of \(wanted)")
        }
        if let elements = wanted.elements {
            guard let found = value.elements, found.count == elements.count else { return ["count of \(wanted)"] }
            for (found, element) in zip(found, elements) { problems += differences(found, element) }
        } else if value.elements != nil {
            problems.append("elements of \(wanted)")
        }
        return problems
    }

    @Test(arguments: [
        " null", "[ ]", "{ }", #"{ "a" : [ 1 , {"b\"\\" : "x y" } , "\\" ] , "\u0061":2, "a b" : " \" " }"#,
        #"["\ud800", "\ud83d\ude00", "\udfff\ud800", "é", "\u00ed\u00a0", "í "]"#, "[[],[[]],{}]", "\t-1.50e+5\r",
        #"{"0":0,"1":1,"2":2,"3":3,"4":4,"5":5,"6":6,"7":7,"8":8,"9":9,"a":10,"b":11,"c":12,"d":13,"e":14,"f":15,"g":16,"\u0067":17}"#,
    ])
    func `values equal those of the reference parser`(_ text: String) throws {
        #expect(differences(value(text), try ReferenceJSONParser.parse(Array(text.utf8))) == [])
    }

    @Test(arguments: 1...100 as ClosedRange<UInt64>)
    func `random resources are read as by the reference parser`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        func text(_ depth: Int) -> String {
            let space = random.pick(["", " ", "\t", "\r \n"])
            switch random.below(depth == 0 ? 2 : 4) {
            case 0: return space + random.pick([#""a""#, #""\"\\""#, #"" , : ] } ""#, #""\u005d""#])
            case 1: return random.pick(["0", "-1e5", "true", "false", "null"]) + space
            case 2: return space + "[" + (0..<random.below(4)).map { _ in text(depth - 1) }.joined(separator: ",") + "]"
            default:
                let members = (0..<random.below(5)).map { _ in
                    space + random.pick([#""a""#, #""\u0061""#, #""b}""#]) + space + ":" + text(depth - 1)
                }
                return "{" + members.joined(separator: ",") + space + "}"
            }
        }
        let json = text(4)
        #expect(differences(value(json), try ReferenceJSONParser.parse(Array(json.utf8))) == [], "seed \(seed)")
    }

    @Test(
        arguments: [
            ("1", 1), ("-9223372036854775808", Int64.min), ("9223372036854775808", nil), ("1.0", nil), ("1e2", nil),
            ("\"1\"", nil), ("true", nil), ("-0", 0),
        ] as [(String, Int64?)])
    func `integers are written with digits alone`(_ text: String, _ wanted: Int64?) {
        #expect(value(text).integer == wanted)
    }

    @Test func `only true and false are booleans`() {
        #expect(value(" true").bool == true)
        #expect(value("false").bool == false)
        for text in ["null", "\"true\"", "1", "[true]"] { #expect(value(text).bool == nil) }
    }
}
