import TestTraits
import Testing
import TidemarkStore
import TidemarkTesting

/// What two versions of a resource have in common, against a reading of each value.
@Suite(.pooled) struct MemberDifferenceTests {
    private static let pointers = ["", "/a", "/b", "/a~1b", "/b/0", "/c/a", "/d", "/e", "/é"]
    private static let names = ["a", "b", "c", "d", "a/b", "\\u0061", "é", "\\u00e9"]
    private static let values = [
        "1", "1.0", "null", "true", #""x""#, #""x,\"}""#, "[]", "[1,2]", #"["a",{"b":1}]"#, #"{"a":1}"#, #"{"a":2}"#,
        "{}",
    ]

    private static func members(_ random: inout SeededGenerator) -> [String] {
        (0..<random.below(5)).map { _ in "\"\(random.pick(names))\":\(random.pick(values))" }
    }

    /// A version of the members in which a few differ, come or go.
    private static func changed(_ members: [String], _ random: inout SeededGenerator) -> [String] {
        var members = members
        for _ in 0..<random.below(3) {
            switch random.below(4) {
            case 0: members += Self.members(&random).prefix(1)
            case 1: if !members.isEmpty { members.remove(at: random.below(members.count)) }
            case 2: members.shuffle(using: &random)
            default:
                guard let place = members.indices.randomElement(using: &random) else { continue }
                let name = members[place].split(separator: ":")[0]
                members[place] = "\(name):\(random.pick(values))"
            }
        }
        return members
    }

    @Test func `a value that differs is never said to be the same`() throws {
        var random = SeededGenerator(seed: 1)
        var foundCount = 0
        for _ in 0..<20_000 {
            let members = Self.members(&random)
            let old = Array("{\(members.joined(separator: ","))}".utf8)
            let new = Array("{\(Self.changed(members, &random).joined(separator: ","))}".utf8)
            let difference = MemberDifference(OutlinedResource(old), OutlinedResource(new))
            for text in Self.pointers {
                let pointer = try RulePointer(Array(text.utf8))
                let (left, right) = (Self.value(pointer, old), Self.value(pointer, new))
                let comment = "\(String(decoding: old + new, as: UTF8.self)) \(text)"
                if left != right { #expect(difference.mayConcern(pointer), "\(comment)") }
                if !difference.mayConcern(pointer) { foundCount += 1 }
            }
        }
        // Most values of most pairs are told apart.
        #expect(foundCount > 60_000, "\(foundCount)")
        #expect(MemberDifference.unknown.mayConcern(try RulePointer(Array("/a".utf8))))
    }

    @Test func `members that changed, came and went are concerned, and others are not`() throws {
        let old = Array(#"{"id":"1","n":1,"t":{"x":1}}"#.utf8)
        let new = Array(#"{"id":"1","n":2,"t":{"x":1},"m":3}"#.utf8)
        for (from, to) in [(old, new), (new, old)] {
            let difference = MemberDifference(OutlinedResource(from), OutlinedResource(to))
            for (text, isConcerned) in [("/n", true), ("/m", true), ("/m/0", true), ("/t/x", false), ("/id", false)] {
                #expect(difference.mayConcern(try RulePointer(Array(text.utf8))) == isConcerned, "\(text)")
            }
        }
        // The whole resource has no name.
        #expect(MemberDifference(OutlinedResource(old), OutlinedResource(old)).mayConcern(try RulePointer([])))
    }

    private static func value(_ pointer: RulePointer, _ resource: [UInt8]) -> [UInt8]? {
        resource.withUnsafeBytes { bytes in pointer.value(in: bytes).map { Array(bytes[$0]) } }
    }
}
