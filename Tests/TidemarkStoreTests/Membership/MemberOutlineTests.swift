import TestTraits
import Testing
import TidemarkStore
import TidemarkTesting

/// Values that are found by an outline, against a walk for each pointer.
@Suite(.pooled) struct MemberOutlineTests {
    private static let names = [
        "a", "b", "", "abcdefgh", "abcdefgi", "abcdefghi", "abcdefghj", #"\u0061"#, "é", #"\u00e9"#, #"a\/b"#,
        #"\\u0061"#,
    ]
    private static let pointers = [
        "", "/", "/a", "/b", "/abcdefgh", "/abcdefgi", "/abcdefghi", "/abcdefghj", "/é", "/a~1b", #"/\u0061"#, "/a/0",
        "/a/b", "/b/a/1", "/0", "/c",
    ]
    private static let values = [
        "1", "-1.5e3", "null", "true", #""x""#, #""\"}{,""#, "[]", "[1,[2,3]]", #"[{"a":1},2]"#, #"{"b":{"a":[4,5]}}"#,
        #"{"a":[1,2]}"#, "{}",
    ]

    @Test func `a pointer finds the value that a walk over the resource finds`() throws {
        var random = SeededGenerator(seed: 7)
        var foundCount = 0
        for _ in 0..<20_000 {
            let members = (0..<random.below(7)).map { _ in
                "\"\(random.pick(Self.names))\":\(random.pick(Self.values))"
            }
            let text = random.below(20) == 0 ? random.pick(Self.values) : "{\(members.joined(separator: ","))}"
            let resource = OutlinedResource(Array(text.utf8))
            for pointer in Self.pointers {
                let pointer = try RulePointer(Array(pointer.utf8))
                let expected = resource.bytes.withUnsafeBytes { pointer.value(in: $0) }
                #expect(resource.range(at: pointer) == expected, "\(text)")
                if expected != nil { foundCount += 1 }
            }
        }
        #expect(foundCount > 40_000, "\(foundCount)")
    }
}
