import TestTraits
import Testing
import TidemarkJSON
import TidemarkModel
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// Values that pointers name, beside a walk over the parsed value.
@Suite(.pooled, .tags(.model)) struct RulePointerTests {
    private static func value(_ random: inout SeededGenerator, depth: Int) -> String {
        switch random.below(depth > 0 ? 8 : 5) {
        case 0: return random.pick(["null", "true", "false"])
        case 1: return random.pick(["0", "-1.5e3", "12345678901234567890"])
        case 2: return #""""#
        case 3:
            return random.pick([#""a\"}b""#, #""\\""#, #""a text that is longer than a word, and plain""#])
        case 4: return random.pick(["{}", "[]"])
        case 5:
            return "["
                + (0..<1 + random.below(4)).map { _ in value(&random, depth: depth - 1) }.joined(
                    separator: ",") + "]"
        default:
            let members = (0..<1 + random.below(6)).map { _ in
                // Names are repeated and escaped now and then.
                let name = random.pick([
                    "a", "b", "0", #"\u0061"#, #"x\"y"#, #"a\\"#, "a longer name", "~", "/", "",
                ])
                return "\"\(name)\":" + value(&random, depth: depth - 1)
            }
            return "{" + members.joined(separator: ",") + "}"
        }
    }

    /// The value at a path, by the members and elements of the parsed value; the last of repeated members.
    private static func walk(_ value: JSONValue, _ names: [String]) -> JSONValue? {
        var value = value
        for name in names {
            switch value {
            case .object:
                guard let inner = value[name] else { return nil }
                value = inner
            case .array(let elements):
                guard let index = Int(name), String(index) == name, elements.indices.contains(index) else {
                    return nil
                }
                value = elements[index]
            case .null, .bool, .number, .string: return nil
            }
        }
        return value
    }

    @Test func `a pointer finds what a walk over the parsed value finds`() throws {
        var foundCount = 0
        for seed in TestScale.seeds(2_000) {
            var random = SeededGenerator(seed: seed)
            let text = RulePointerTests.value(&random, depth: 3)
            let names = (0..<random.below(4)).map { _ in
                random.pick(["a", "b", "0", "1", "x\"y", "a\\", "a longer name", "~", "/", "", "01"])
            }
            let written = names.map {
                "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1")
            }
            let pointer = try RulePointer(Array(written.joined().utf8))
            let bytes = Array(text.utf8)
            let found = bytes.withUnsafeBytes { bytes in pointer.value(in: bytes).map { Array(bytes[$0]) }
            }
            let wanted = RulePointerTests.walk(try JSONValue(parsing: bytes), names)
            if wanted != nil { foundCount += 1 }
            #expect(
                try found.map { try JSONValue(parsing: $0).text } == wanted?.text,
                "seed \(seed): \(written.joined()) in \(text)")
        }
        #expect(foundCount > 100 || TestScale.seeds(2_000).count < 100)
    }
}
