import TestTraits
import Testing
import TidemarkStore

@Suite(.pooled) struct MembershipOrderTests {
    /// The values in the order of the protocol; values on one line are equal.
    private static let ascending: [[String]] = [
        ["{}"], [#"{"v":null}"#], [#"{"v":false}"#], [#"{"v":true}"#],
        [#"{"v":-1e99999999999999999999}"#, #"{"v":-1E+2147483647}"#], [#"{"v":-1e2147483646}"#],
        [#"{"v":-18446744073709551616}"#], [#"{"v":-18446744073709551615}"#, #"{"v":-1.8446744073709551615E19}"#],
        [#"{"v":-1.11}"#], [#"{"v":-1.1}"#, #"{"v":-1.10}"#], [#"{"v":-1}"#], [#"{"v":-1e-101}"#],
        [#"{"v":-1e-2147483648}"#, #"{"v":-1e-2147483647}"#],
        [#"{"v":0}"#, #"{"v":-0}"#, #"{"v":0.000}"#, #"{"v":-0e99999999999}"#, #"{"v":0E-5}"#],
        [#"{"v":1e-99999999999999999999}"#, #"{"v":1e-2147483648}"#],
        [#"{"v":1e-102}"#], [#"{"v":1e-101}"#], [#"{"v":1e-100}"#], [#"{"v":1e-99}"#], [#"{"v":0.01}"#],
        [#"{"v":0.1}"#],
        [#"{"v":1}"#, #"{"v":1.0}"#, #"{"v":0.1e1}"#, #"{"v":10e-1}"#], [#"{"v":1.01}"#],
        [#"{"v":1.1}"#, #"{"v":1.10}"#, #"{"v":11e-1}"#], [#"{"v":1.11}"#], [#"{"v":1.9}"#], [#"{"v":9}"#],
        [#"{"v":10}"#, #"{"v":1e1}"#], [#"{"v":9007199254740992}"#], [#"{"v":9007199254740993}"#],
        [#"{"v":18446744073709551615}"#], [#"{"v":18446744073709551616}"#], [#"{"v":1e99}"#], [#"{"v":1e100}"#],
        [#"{"v":1e101}"#], [#"{"v":1e2147483647}"#, #"{"v":1e2147483648}"#],
        [#"{"v":""}"#], [#"{"v":"\u0000"}"#], [#"{"v":"\u0000\u0000"}"#], [#"{"v":"\u0000a"}"#], [#"{"v":"\u0001"}"#],
        [#"{"v":"10"}"#], [#"{"v":"9"}"#], [#"{"v":"A"}"#], [#"{"v":"a"}"#, #"{"v":"\u0061"}"#],
        [#"{"v":"a\u0000"}"#], [#"{"v":"aa"}"#], [#"{"v":"e\u0301"}"#], [#"{"v":"é"}"#, #"{"v":"\u00E9"}"#],
        [#"{"v":"\ud83d"}"#], [#"{"v":"￿"}"#], [#"{"v":"😀"}"#, #"{"v":"\uD83D\uDE00"}"#],
        [#"{"v":[]}"#, #"{"v":{}}"#, #"{"v":[1]}"#, #"{"v":{"a":0}}"#],
    ]

    @Test func `values have the order of the protocol, in both directions`() throws {
        for direction in ["asc", "desc"] {
            let rule = try MembershipFixture(
                #"{"resource_type":"t","order":[{"path":"/v","direction":"\#(direction)"}]}"#)
            let ranked = direction == "asc" ? Self.ascending : Self.ascending.reversed()
            for (index, equal) in ranked.enumerated() {
                #expect(Set(equal.map { rule.sortKey($0, id: "x") }).count == 1, "\(direction) \(equal)")
                guard index > 0 else { continue }
                let before = rule.sortKey(ranked[index - 1][0], id: "z")
                let after = rule.sortKey(equal[0], id: "a")
                #expect(before.lexicographicallyPrecedes(after), "\(direction): \(ranked[index - 1]), \(equal)")
            }
        }
    }

    @Test func `eq distinguishes neighbours in the order and nothing else`() throws {
        for (before, equal) in zip(Self.ascending, Self.ascending.dropFirst().dropLast()) {
            for resource in equal {
                let operand = resource.dropFirst(#"{"v":"#.count).dropLast()
                let rule = try MembershipFixture(#"{"resource_type":"t","where":{"path":"/v","eq":\#(operand)}}"#)
                #expect((before + equal).filter(rule.matches) == equal, "\(operand)")
            }
        }
    }

    @Test func `components decide one after the other with their directions, ascending ids last`() throws {
        let rule = try MembershipFixture(
            #"{"resource_type":"t","order":[{"path":"/k","direction":"desc"},{"path":"/n"}]}"#)
        let resources = [
            ("b", #"{"k":"a","n":1}"#), ("a", #"{"k":"a","n":1.0}"#), ("c", #"{"k":"ab","n":2}"#),
            ("d", #"{"k":"ab","n":-1}"#), ("e", #"{"n":0}"#), ("ab", #"{"k":"a","n":1}"#), ("f", #"{"k":"ab"}"#),
        ]
        #expect(rule.sorted(resources) == ["f", "d", "c", "a", "ab", "b", "e"])
    }

    @Test func `without an order the bytes of ids decide`() throws {
        let rule = try MembershipFixture(#"{"resource_type":"t"}"#)
        #expect(
            rule.sorted([("b", "{}"), ("é", "{}"), ("a", "{}"), ("B", "{}"), ("e", "{}")]) == ["B", "a", "b", "e", "é"])
        #expect(rule.sortKey("{}", id: "a") == Array("a".utf8))
    }

    @Test(arguments: [
        ("asc", false), ("ascending", false), ("desc", true), ("descending", true),
    ])
    func `a direction has a long and a short name`(name: String, isDescending: Bool) throws {
        let rule = try MembershipFixture(
            #"{"resource_type":"t","order":[{"path":"/v","direction":"\#(name)"}]}"#)
        #expect(rule.sorted([("a", #"{"v":1}"#), ("b", #"{"v":2}"#)]) == (isDescending ? ["b", "a"] : ["a", "b"]))
    }
}
