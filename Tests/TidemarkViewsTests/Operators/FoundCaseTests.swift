import TestTraits
import Testing
import TidemarkModel
import TidemarkViews

/// Cases that the random comparison found.
@Suite(.pooled) struct FoundCaseTests {
    @Test func `an include asks for an entity that becomes unknown after the row was rendered`() throws {
        var world = ViewWorld()
        world.apply([("a:1", #"{"id":1,"s":2}"#), ("b:2", #"{"id":2}"#)])
        // The match is looked for by the other condition, so only the question reads the entity.
        let window = try world.observe(
            #"{"from":"a","include":{"b":{"type":"b","on":{"/x":"a/s","@key":"a/s"}}}}"#)
        world.apply(states: [(ViewWorld.key("b:2"), .unknown)])
        #expect(world.views.missing(window).map(\.text) == ["b:2"])
        try world.check()
    }

    @Test func `a way back through a changed entity checks its parameters`() throws {
        var world = ViewWorld()
        world.apply([
            ("u:1", #"{"id":1}"#), ("u:2", #"{"id":2}"#), ("u:9", #"{"id":9,"b":10,"l":[10,"2"]}"#),
        ])
        try world.observe(
            #"{"from":"u","joins":[{"type":"u","as":"x","kind":"absent","on":{"/l/*":"u@key","@key":{"param":"q"}},"#
                + #""joins":[{"type":"u","as":"y","kind":"left","on":{"/l/*":"x/b"}}]}]}"#, #"{"q":"7"}"#)
        world.apply([("u:9", nil)])
        try world.check()
    }

    @Test func `a use asks for what rows refer to before the condition that finds it`() throws {
        var world = ViewWorld()
        world.apply([("a:1", #"{"id":1,"b":1,"s":2}"#), ("a:2", #"{"id":2,"b":2,"s":3}"#), ("u:4", #"{"id":4,"l":1}"#)])
        let window = try world.observe(
            #"{"from":{"type":"a","where":{"path":"/b","ne":{"param":"q"}}},"#
                + #""joins":[{"type":"u","on":{"@key":"a/s"},"where":{"path":"/l","eq":{"param":"p"}}}]}"#,
            #"{"p":1,"q":1}"#)
        #expect(world.views.missing(window).map(\.text) == ["u:3"])
        world.apply([("u:3", #"{"id":3,"l":1}"#), ("a:2", #"{"id":2,"b":3,"s":3}"#)])
        try world.check()
    }

    @Test func `a new spelling of a number can begin or end a reference`() throws {
        var world = ViewWorld()
        world.apply([("a:1", #"{"id":1,"r":2.0}"#), ("b:2", #"{"id":2}"#)])
        let window = try world.observe(
            #"{"from":"a","joins":[{"type":"b","on":{"@key":"a/r"}}],"select":{"b":"b/id"}}"#)
        #expect(world.rows(window) == "[]")
        world.apply([("a:1", #"{"id":1,"r":2}"#)])
        #expect(world.rows(window) == #"[{"b":2}]"#)
        world.apply([("a:1", #"{"id":1,"r":2.0}"#)])
        #expect(world.rows(window) == "[]")
    }

    @Test func `a full window without rows behind it refills after one row left`() throws {
        var world = ViewWorld()
        world.apply((1...4).map { ("a:\($0)", #"{"id":\#($0)}"#) })
        let window = try world.observe(#"{"from":"a","limit":3}"#)
        world.apply([("a:2", nil)])
        #expect(world.rows(window) == #"[{"id":1},{"id":3},{"id":4}]"#)
        world.apply([("a:1", nil)])
        world.apply([("a:5", #"{"id":5}"#)])
        world.apply([("a:0", #"{"id":0}"#)])
        #expect(world.rows(window) == #"[{"id":0},{"id":3},{"id":4}]"#)
        try world.check()
    }
}
