import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

/// The equality of query inputs.
@Suite(.pooled) struct QueryKeyTests {
    private func canonical(_ json: String) throws -> String {
        try QueryKey(library: "l", method: "m", input: Array(json.utf8)).input.description
    }

    @Test(arguments: [
        (" null ", "null"), ("\t[ 1 , 2 ]\r\n", "[1,2]"), ("{}", "{}"), ("[]", "[]"), ("true", "true"), ("-0", "-0"),
        (#"{"b":1,"a":{"d":[],"c":2}}"#, #"{"a":{"c":2,"d":[]},"b":1}"#),
        (#"{"a":1,"b":2,"\u0061":3}"#, #"{"a":3,"b":2}"#),
        (#"{"é":1,"z":2,"Z":3,"":4}"#, #"{"":4,"Z":3,"z":2,"é":1}"#),
        (#""\/\u0041\n\u000a\u001f\"\\\u007f""#, "\"/A\\n\\n\\u001f\\\"\\\\\u{7F}\""),
        (#""\ud83d\ude00 \u20ac""#, "\"😀 €\""),
        (#""\uD800 \udc00\ud800\ud83d\ude00""#, "\"\\ud800 \\udc00\\ud800😀\""),
        ("[1.0,1,1e0,1E0,100000000000000000000,-1.50]", "[1.0,1,1e0,1E0,100000000000000000000,-1.50]"),
    ])
    func `an input has one spelling`(_ json: String, _ wanted: String) throws {
        #expect(try canonical(json) == wanted)
        #expect(try canonical(wanted) == wanted)
    }

    @Test(arguments: [
        "", " ", "nul", "nulll", "{", "[1,]", "{\"a\"}", "{\"a\":1,}", "{a:1}", "[1 2]", "1 2", "01", "1.", ".5", "+1",
        "-",
        "1e", "\"", "\"\\x\"", "\"\\u12g4\"", "\"\\u12\"", "\"\u{01}\"", "]", "\"a\" ,", "--1",
    ])
    func `an input that is not JSON is refused`(_ json: String) {
        let error = #expect(throws: CacheError.self) { try canonical(json) }
        #expect(error?.code == .invalidParams)
        #expect(error?.message.hasPrefix("input is not JSON at byte ") == true, "\(error?.message ?? "")")
    }

    @Test func `an input that is not UTF-8, too deep or too long is refused`() throws {
        func message(_ input: [UInt8]) -> String? {
            do throws(CacheError) {
                _ = try QueryKey(library: "l", method: "m", input: input)
                return nil
            } catch {
                return error.message
            }
        }
        #expect(message([0x22, 0xC3, 0x22]) == "input is not UTF-8: pass JSON in UTF-8")
        let deep = String(repeating: "[", count: 64) + String(repeating: "]", count: 64)
        #expect(message(Array(deep.utf8)) == nil)
        #expect(message(Array("[\(deep)]".utf8)) == "input nests more than 64 deep at byte 64: pass one JSON value")
        let long = [UInt8](repeating: 0x20, count: (1 << 20) - 1) + [0x31]
        #expect(message(long) == nil)
        #expect(message(long + [0x31]) == "input has 1048577 bytes: pass at most 1048576")
    }

    @Test func `a method without a name is refused`() {
        #expect(throws: CacheError.self) { try QueryKey(library: "l", method: "", input: [0x31]) }
        let name = ByteString([UInt8](repeating: 0x61, count: 1_025))
        #expect(throws: CacheError.self) { try QueryKey(library: "l", method: name, input: [0x31]) }
    }

    /// Sorts parsed values in a naive way; it shares no code with the code under test.
    private func model(_ value: ReferenceJSON) -> String {
        if let elements = value.elements { return "[\(elements.map(model).joined(separator: ","))]" }
        guard let members = value.members else {
            guard case .string(let string) = value else { return value.description }
            return model(string.unescaped)
        }
        var last: [[UInt8]: ReferenceJSON] = [:]
        for member in members { last[member.key.unescaped] = member.value }
        let sorted = last.keys.sorted { left, right in
            for (a, b) in zip(left, right) where a != b { return a < b }
            return left.count < right.count
        }
        return "{\(sorted.map { "\(model($0)):\(last[$0].map(model) ?? "")" }.joined(separator: ","))}"
    }

    private func model(_ text: [UInt8]) -> String {
        let short: [Character: String] = [
            "\"": "\\\"", "\\": "\\\\", "\u{8}": "\\b", "\t": "\\t", "\n": "\\n", "\u{C}": "\\f", "\r": "\\r",
        ]
        var result = "\""
        for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
            if let escape = short[Character(scalar)] {
                result += escape
            } else if scalar.value < 0x20 {
                let hex = String(scalar.value, radix: 16)
                result += "\\u" + String(repeating: "0", count: 4 - hex.count) + hex
            } else {
                result.unicodeScalars.append(scalar)
            }
        }
        return result + "\""
    }

    private func value(_ depth: Int, _ random: inout SeededGenerator) -> String {
        func space(_ random: inout SeededGenerator) -> String { random.pick(["", "", " ", "\t", "\n", " \r\n"]) }
        let name = { (random: inout SeededGenerator) -> String in
            random.pick([
                #""a""#, #""\u0061""#, #""b""#, #""aa""#, #""""#, #""é""#, #""\u00e9""#, #""\n""#, #""\u000A""#,
                #""😀""#,
                #""\ud83d\ude00""#, #""\"\\\/""#, #""￿""#,
            ])
        }
        switch random.below(depth == 0 ? 3 : 6) {
        case 0: return random.pick(["1", "1.0", "-0", "1e5", "18446744073709551615"])
        case 1: return random.pick(["null", "true", "false"])
        case 2: return name(&random)
        case 3, 4:
            let members = (0..<random.below(5)).map { _ in
                space(&random) + name(&random) + space(&random) + ":" + value(depth - 1, &random)
            }
            return space(&random) + "{\(members.joined(separator: ","))" + space(&random) + "}"
        default:
            let elements = (0..<random.below(4)).map { _ in value(depth - 1, &random) + space(&random) }
            return "[\(elements.joined(separator: ","))]" + space(&random)
        }
    }

    @Test(arguments: TestScale.seeds(300))
    func `the canonical form equals that of sorted parsed values`(_ seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let json = value(4, &random)
        let wanted = model(try ReferenceJSONParser.parse(Array(json.utf8)))
        #expect(try canonical(json) == wanted, "seed \(seed): \(json)")
    }
}
