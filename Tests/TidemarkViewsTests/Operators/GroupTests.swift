import TestTraits
import Testing
import TidemarkViews

@Suite(.pooled) struct GroupTests {
    private func rows(_ rule: String, _ entities: [(String, String?)], _ parameters: String = "{}") throws -> String {
        var world = ViewWorld()
        let window = try world.observe(rule, parameters)
        for entity in entities {
            world.apply([entity])
            try world.check()
        }
        return world.rows(window)
    }

    private static let entities: [(String, String?)] = [
        ("t:1", #"{"a":1.0,"n":2}"#), ("t:2", #"{"a":1,"n":3}"#), ("t:3", #"{"n":4}"#), ("t:4", #"{"a":null,"n":5}"#),
        ("t:5", #"{"a":{"y":1,"x":2.50},"n":6}"#), ("t:6", #"{"a":{"x":2.5,"y":1.0},"n":7}"#),
    ]

    @Test func `equal values are one group, shown in one spelling`() throws {
        #expect(
            try rows(#"{"from":"t","group":{"a":"t/a"},"aggregates":{"n":{"sum":"t/n"}}}"#, GroupTests.entities)
                == #"[{"n":4},{"a":null,"n":5},{"a":1,"n":5},{"a":{"x":2.5,"y":1},"n":13}]"#)
    }

    @Test func `members stand in the order of the rule, and the order is that of output rows`() throws {
        #expect(
            try rows(
                #"{"from":"t","group":{"z":"t/a","b":"t/b"},"aggregates":{"y":{"count":true},"c":{"max":"t/n"}},"#
                    + #""order":[{"path":"/c","direction":"desc"}],"limit":2}"#, GroupTests.entities)
                == #"[{"z":{"x":2.5,"y":1},"y":2,"c":7},{"z":null,"y":1,"c":5}]"#)
    }

    @Test func `aggregates alone make one row, also over nothing, unless having drops it`() throws {
        let rule = #"{"from":"t","aggregates":{"n":{"count":"t/a"},"m":{"min":"t/n","where":{"path":"t/n","gt":3}}}"#
        #expect(try rows(rule + "}", []) == #"[{"n":0}]"#)
        #expect(try rows(rule + "}", GroupTests.entities) == #"[{"n":4,"m":4}]"#)
        let having = #","having":{"path":"/n","gt":{"param":"p"}},"total":true}"#
        #expect(try rows(rule + having, GroupTests.entities, #"{"p":3}"#) == #"[{"n":4,"m":4}]"#)
        #expect(try rows(rule + having, GroupTests.entities, #"{"p":4}"#) == "[]")
    }

    @Test func `a parameter in the where of an aggregate counts for its use`() throws {
        let rule =
            #"{"from":"t","group":{"a":"t/a"},"#
            + #""aggregates":{"n":{"count":true,"where":{"path":"t/n","gt":{"param":"p"}}}}}"#
        #expect(
            try rows(rule, GroupTests.entities, #"{"p":2}"#)
                == #"[{"n":1},{"a":null,"n":1},{"a":1,"n":1},{"a":{"x":2.5,"y":1},"n":2}]"#)
    }
}
