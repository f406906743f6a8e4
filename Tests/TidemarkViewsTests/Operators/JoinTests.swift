import TestTraits
import Testing
import TidemarkModel
import TidemarkViews

@Suite(.pooled) struct JoinTests {
    private func joined(_ on: String, _ entities: [(String, String?)], _ parameters: String = "{}") throws -> String {
        var world = ViewWorld(types: ["Person": "user"])
        // One by one, so that the join is found from both of its sides.
        let window = try world.observe(
            #"{"from":"a","joins":[{"type":"user","as":"u","on":\#(on)}],"select":{"a":"a/id","u":"u/id"}}"#, parameters
        )
        for entity in entities { world.apply([entity]) }
        try world.check()
        let rows = world.rows(window)
        for entity in entities.reversed() { world.apply([(entity.0, nil)]) }
        #expect(world.rows(window) == "[]")
        return rows
    }

    private static let uuid = "0f0c3a51-8e0b-4d5c-9c55-0a6b7f1d2e3a"

    @Test(
        arguments: [
            (#""1""#, true), ("1", true), ("1.0", false), ("01", nil), ("-1", false), (#""01""#, false),
            ("true", false),
            ("null", false), (#"{"id":1}"#, true), (#"{"id":null,"uuid":"1"}"#, true),
            (#"{"id":"2","uuid":"1"}"#, false),
            (#"{"id":{"id":1}}"#, false), (#"{"__ref":"user:1"}"#, true), (#"{"__ref":"other:1","id":1}"#, false),
            (#"{"__ref":1,"id":1}"#, false), (#"["3","1",1]"#, true), (#"[["1"]]"#, false), ("[]", false),
            (#""""#, false),
        ] as [(String, Bool?)]) func `a value refers to an entity by the rules of references`(
            value: String, refers: Bool?
        ) throws
    {
        guard let refers else { return }
        let rows = try joined(#"{"@key":"a/r"}"#, [("a:7", #"{"id":7,"r":\#(value)}"#), ("user:1", #"{"id":1}"#)])
        #expect(rows == (refers ? #"[{"a":7,"u":1}]"# : "[]"))
        let back = try joined(
            #"{"/r":"a@key"}"#,
            [("a:1", #"{"id":1}"#), ("user:7", #"{"id":7,"r":\#(value.replacing("user:", with: "a:"))}"#)])
        #expect(back == (refers ? #"[{"a":1,"u":7}]"# : "[]"))
    }

    @Test func `a reference by an alias of the type counts, and a UUID in any case`() throws {
        var world = ViewWorld(types: ["Person": "user"])
        let window = try world.observe(
            #"{"from":"a","joins":[{"type":"Person","on":{"@key":"a/r"}}],"select":{"n":"Person/n"}}"#)
        world.apply([
            ("a:1", #"{"id":1,"r":{"__ref":"Person:\#(JoinTests.uuid.uppercased())"}}"#),
            ("a:2", #"{"id":2,"r":"\#(JoinTests.uuid.uppercased())"}"#), ("user:\(JoinTests.uuid)", #"{"n":5}"#),
        ])
        #expect(world.rows(window) == #"[{"n":5},{"n":5}]"#)
    }

    @Test func `elements are compared one by one, and a pair makes one row`() throws {
        let entities: [(String, String?)] = [
            ("a:1", #"{"id":1,"t":["x","y","x",null]}"#), ("user:1", #"{"id":1,"t":["y","x"],"n":"x"}"#),
            ("user:2", #"{"id":2,"t":"x","n":"y"}"#), ("user:3", #"{"id":3,"t":[null],"n":null}"#),
        ]
        #expect(try joined(#"{"/t/*":"a/t/*"}"#, entities) == #"[{"a":1,"u":1}]"#)
        #expect(try joined(#"{"/n":"a/t/*"}"#, entities) == #"[{"a":1,"u":1},{"a":1,"u":2}]"#)
        #expect(try joined(#"{"/t/*":["a/t/0","a/t/1"]}"#, entities) == #"[{"a":1,"u":1}]"#)
        #expect(try joined(#"{"/n":{"param":"p"}}"#, entities, #"{"p":"\u0079"}"#) == #"[{"a":1,"u":2}]"#)
        #expect(
            try joined(#"{"@key":{"param":"p"}}"#, entities, #"{"p":[1,{"id":"2"}]}"#)
                == #"[{"a":1,"u":1},{"a":1,"u":2}]"#)
    }

    @Test func `unknown entities are counted once each, deleted ones are not`() throws {
        var world = ViewWorld()
        let window = try world.observe(
            #"{"from":"a","joins":[{"type":"b","kind":"left","on":{"@key":"a/b"}},"#
                + #"{"type":"c","kind":"exists","on":{"@key":"b/c"}}],"where":{"path":"a/id","lt":0},"#
                + #""include":{"d":{"type":"d","on":{"@key":"a/d"},"one":true}}}"#)
        world.apply([("a:1", #"{"id":1,"b":[1,2]}"#), ("a:2", #"{"id":2,"b":[2,3]}"#), ("a:3", #"{"id":3}"#)])
        #expect(world.views.missing(window).map(\.text) == ["b:1", "b:2", "b:3"])
        world.apply([("b:1", nil), ("b:2", #"{"id":2,"c":9}"#)])
        #expect(world.views.missing(window).map(\.text) == ["b:3", "c:9"])
        try world.check()
        world.apply(states: [(ViewWorld.key("b:1"), .unknown)])
        #expect(world.views.missing(window).map(\.text) == ["b:1", "b:3", "c:9"])
        try world.check()
    }

    @Test func `a change that shows nowhere sends nothing`() throws {
        var world = ViewWorld()
        world.apply([("a:1", #"{"id":1,"x":1,"s":"a"}"#)])
        try world.observe(#"{"from":"a","select":{"x":"a/x","s":"a/s"}}"#)
        #expect(world.apply([("a:1", #"{"id":1,"x":1,"s":"a","hidden":2}"#)]).isEmpty)
        #expect(world.apply([("other:1", "{}")]).isEmpty)
        #expect(world.apply([("a:1", #"{"id":1,"x":1,"s":"\u0061"}"#)]).isEmpty)
        // A new spelling of a number shows.
        #expect(world.apply([("a:1", #"{"id":1,"x":1.0,"s":"a"}"#)]).count == 1)
        try world.check()
    }
}
