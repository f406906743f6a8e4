import TestTraits
import Testing
import TidemarkModel
import TidemarkReferenceModel
import TidemarkStore
import TidemarkTesting

/// The codes of values in an index, and the ranges of rules.
@Suite(.pooled) struct FieldCodeTests {
    private func code(_ json: String) throws -> [UInt8] {
        try Array(#"{"a":\#(json)}"#.utf8).withUnsafeBytes { try FieldPath("/a").code(in: $0) }
    }

    @Test(arguments: [
        ("null", "null"), ("false", "false"), ("true", "true"), ("0", "0"), ("-0.0e7", "0"), ("1.10", "1.1"),
        ("11e-1", "1.1"), ("1e2", "100"), ("-100", "-100"), ("0.011", "0.011"), ("-0.5", "-0.5"), ("1e300", "1e300"),
        ("-12.5e-200", "-1.25e-199"), ("18446744073709551616", "18446744073709551616"),
        ("12345678901234567890123456789.5", "12345678901234567890123456789.5"), (#""a""#, #""a""#),
        (#""\u0061\/""#, #""a/""#), (#""a\u0000b""#, #""a\u0000b""#), (#""\n\"\\\u0001""#, #""\n\"\\\u0001""#),
        (#""\ud83d""#, #""\ud83d""#), (#""\ud83d\ude00é""#, #""😀é""#), (#""""#, #""""#),
    ])
    func `a value has exactly one code`(json: String, spelling: String) throws {
        let code = try code(json)
        #expect(FieldCode.json(code).map { String(decoding: $0, as: UTF8.self) } == spelling)
        #expect(try self.code(spelling) == code)
    }

    @Test func `arrays, objects and absent values have no code, and other bytes are not codes`() throws {
        #expect(FieldCode.json(FieldCode.missing) == nil)
        #expect(try FieldCode.json(code("[1]")) == nil)
        #expect(try FieldCode.json(code("{}")) == nil)
        for byte in UInt8.min...UInt8.max {
            for tail in [[], [0], [7], [255], [0, 0], [120, 3, 0], [1, 2, 3]] as [[UInt8]] {
                guard let json = FieldCode.json([byte] + tail) else { continue }
                #expect((2...8).contains(byte), "\(byte) \(tail) is \(json)")
            }
        }
    }

    @Test(arguments: 1...200 as ClosedRange<UInt64>)
    func `a resource that fulfils a rule is in the ranges of each field`(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let generator = MembershipGenerator()
        for _ in 0..<20 {
            var text = generator.rule(&random)
            // These values are longer than the bound of a code.
            if random.chance(600) { text = lengthened(text) }
            let rule = try MembershipFixture(text)
            let ranges = rule.membership.constraint.ranges
            for (path, ranges) in ranges {
                #expect(ranges == CodeRange.union(ranges), "seed \(seed): \(text) gives \(ranges) for \(path)")
            }
            for _ in 0..<20 {
                var resource = generator.resource(&random)
                if random.chance(600) { resource = lengthened(resource) }
                guard rule.reference.matches(try ReferenceJSONParser.parse(Array(resource.utf8))) else { continue }
                for (path, ranges) in ranges {
                    let code = try Array(resource.utf8).withUnsafeBytes { try FieldPath(path).code(in: $0) }
                    let kept = FieldCode.kept(code)
                    #expect(
                        ranges.contains { isIn(kept, $0) },
                        "seed \(seed): \(resource) fulfils \(text), but \(path) is \(kept), outside of \(ranges)")
                }
            }
        }
    }

    private func lengthened(_ json: String) -> String {
        let long = String(repeating: "Photos/", count: 30)
        return ["ab", "A", "1", "true", "é"].reduce(json) { $0.replacing(#""\#($1)""#, with: #""\#(long)\#($1)""#) }
    }

    private func isIn(_ code: [UInt8], _ range: CodeRange) -> Bool {
        !code.lexicographicallyPrecedes(range.lower) && code.lexicographicallyPrecedes(range.upper)
    }

    @Test func `ranges are as narrow as a rule allows`() throws {
        func ranges(_ predicate: String) throws -> [CodeRange]? {
            try Membership(json: Array(#"{"resource_type":"file","where":\#(predicate)}"#.utf8)).constraint.ranges["/a"]
        }
        let (one, two) = try (code("1"), code("2"))
        #expect(try ranges(#"{"path":"/a","eq":1.0}"#) == [CodeRange(one)])
        #expect(try ranges(#"{"path":"/a","in":[2,1,1.0]}"#) == [CodeRange(one), CodeRange(two)])
        #expect(try ranges(#"{"path":"/a","gt":1,"lt":2}"#) == [CodeRange(lower: one + [0], upper: two)])
        #expect(try ranges(#"{"path":"/a","gte":2,"lt":1}"#) == [])
        #expect(try ranges(#"{"all":[{"path":"/a","in":[1,2]},{"path":"/a","gt":1}]}"#) == [CodeRange(two)])
        #expect(try ranges(#"{"path":"/a","exists":false}"#) == [CodeRange(FieldCode.missing)])
        #expect(try ranges(#"{"path":"/a","ne":1}"#) == nil)
        #expect(try ranges(#"{"not":{"path":"/a","eq":1}}"#) == nil)
        #expect(try ranges(#"{"any":[{"path":"/a","eq":1},{"path":"/b","eq":1}]}"#) == nil)
        #expect(try ranges(#"{"path":"/b","eq":1}"#) == nil)
    }
}
