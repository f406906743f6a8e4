import TestTraits
import Testing
import TidemarkViews

@Suite(.pooled) struct IncludeTests {
    private static let entities: [(String, String?)] = [
        ("p:1", #"{"id":1,"c":"own"}"#), ("c:1", #"{"id":1,"p":1,"n":3,"u":1}"#),
        ("c:2", #"{"id":2,"p":1,"n":1,"u":2}"#),
        ("c:3", #"{"id":3,"p":1,"n":2,"u":1}"#), ("u:1", #"{"id":1,"open":true}"#), ("u:2", #"{"id":2,"open":false}"#),
    ]

    private func rows(_ include: String, _ rest: String = "") throws -> String {
        var world = ViewWorld()
        let window = try world.observe(#"{"from":"p","include":{"c":\#(include)}\#(rest)}"#)
        for entity in IncludeTests.entities {
            world.apply([entity])
            try world.check()
        }
        return world.rows(window)
    }

    @Test(arguments: [
        (#"{"type":"c","on":{"/p":"p@key"},"select":{"i":"/id"}}"#, #"[{"i":1},{"i":2},{"i":3}]"#),
        (
            #"{"type":"c","on":{"/p":"p@key"},"select":{"i":"c/id"},"order":[{"path":"c/n"}],"limit":1,"offset":1}"#,
            #"[{"i":3}]"#
        ),
        (
            #"{"type":"c","on":{"/p":"p@key"},"select":{"i":"/id","n":"/n"},"order":[{"path":"/n"}],"#
                + #""one":true,"offset":1}"#,
            #"{"i":3,"n":2}"#
        ),
        (#"{"type":"c","on":{"/p":"p@key"},"one":true,"offset":3}"#, "null"),
        (
            #"{"type":"c","on":{"/p":"p@key"},"where":{"path":"/n","gt":1},"#
                + #""aggregates":{"n":{"count":true},"s":{"sum":"/n"}}}"#,
            #"{"n":2,"s":5}"#
        ),
        (
            #"{"type":"c","on":{"/p":"p@key"},"group":{"u":"/u"},"aggregates":{"m":{"max":"c/n"}},"#
                + #""having":{"path":"/m","gt":1}}"#,
            #"[{"u":1,"m":3}]"#
        ),
        (
            #"{"type":"c","on":{"/p":"p@key"},"joins":[{"type":"u","on":{"@key":"c/u"}}],"#
                + #""where":{"path":"u/open","eq":true},"#
                + #""select":{"i":"/id","p":"p/id"}}"#, #"[{"i":1,"p":1},{"i":3,"p":1}]"#
        ),
        (
            #"{"type":"c","on":{"/p":"p@key"},"joins":[{"type":"u","kind":"absent","on":{"@key":"c/u"},"#
                + #""where":{"path":"/open","eq":true}}],"select":{"i":"/id"}}"#, #"[{"i":2}]"#
        ),
    ]) func `an include is a list, one row, aggregates or groups`(include: String, wanted: String) throws {
        #expect(try rows(include) == #"[{"id":1,"c":\#(wanted)}]"#)
    }

    @Test func `a member with the name of an include gives way to it`() throws {
        let include = #"{"type":"c","on":{"/p":"p@key"},"aggregates":{"n":{"count":true}}}"#
        #expect(try rows(include) == #"[{"id":1,"c":{"n":3}}]"#)
        #expect(try rows(include, #","select":{"c":"p/id","d":"p/id"}"#) == #"[{"d":1,"c":{"n":3}}]"#)
    }

    @Test func `rows are filtered and ordered by aggregates of their includes before the window is cut`() throws {
        var world = ViewWorld()
        world.apply((1...5).map { ("p:\($0)", #"{"id":\#($0)}"#) })
        let window = try world.observe(
            #"{"from":"p","include":{"c":{"type":"c","on":{"/p":"p@key"},"aggregates":{"n":{"count":true}}}},"#
                + #""where":{"path":"/c/n","gt":0},"order":[{"path":"/c/n","direction":"desc"}],"#
                + #""limit":2,"total":true}"#
        )
        for (index, parent) in [1, 2, 2, 3, 3, 3, 4].enumerated() {
            world.apply([("c:\(index)", #"{"id":\#(index),"p":\#(parent)}"#)])
            try world.check()
        }
        #expect(world.rows(window) == #"[{"id":3,"c":{"n":3}},{"id":2,"c":{"n":2}}]"#)
        world.apply([("c:3", #"{"id":3,"p":1}"#), ("c:4", nil)])
        #expect(world.rows(window) == #"[{"id":1,"c":{"n":2}},{"id":2,"c":{"n":2}}]"#)
        try world.check()
    }
}
