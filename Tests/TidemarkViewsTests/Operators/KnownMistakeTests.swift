import TestTraits
import Testing
import TidemarkViews

/// Mistakes that other incremental views made.
@Suite(.pooled) struct KnownMistakeTests {
    private static let children = #"{"from":"p","joins":[{"type":"c","on":{"/p":"p@key"}}]}"#

    @Test func `a parent stays when its child leaves and comes back in one batch`() throws {
        var world = ViewWorld()
        world.apply([("p:1", #"{"id":1}"#), ("c:1", #"{"id":1,"p":1}"#)])
        let joined = try world.observe(KnownMistakeTests.children)
        let exists = try world.observe(#"{"from":"p","joins":[{"type":"c","kind":"exists","on":{"/p":"p@key"}}]}"#)
        let left = try world.observe(#"{"from":"p","joins":[{"type":"c","kind":"left","on":{"/p":"p@key"}}]}"#)
        #expect(world.apply([("c:1", nil), ("c:1", #"{"id":1,"p":1}"#)]).isEmpty)
        #expect(world.apply([("c:1", nil), ("c:2", #"{"id":2,"p":1}"#)]).map(\.window) == [joined, left])
        try world.check()
        #expect(world.rows(exists) == #"[{"id":1}]"#)
    }

    @Test func `an include is changed inside, not built again`() throws {
        var world = ViewWorld()
        world.apply([
            ("p:1", #"{"id":1}"#), ("c:1", #"{"id":1,"p":1,"o":1,"t":{"x":1,"y":2}}"#),
            ("c:2", #"{"id":2,"p":1,"o":2}"#),
        ])
        try world.observe(
            #"{"from":"p","include":{"cs":{"type":"c","on":{"/p":"p@key"},"order":[{"path":"/o"}]}}}"#)
        func patch(_ changes: [(String, String?)]) -> String {
            String(decoding: ViewPatchOperation.text(world.apply(changes).flatMap(\.patch)), as: UTF8.self)
        }
        #expect(
            patch([("c:1", #"{"id":1,"p":1,"o":1,"t":{"x":1,"y":3}}"#)])
                == #"[{"op":"replace","path":"/0/cs/0/t/y","value":3}]"#)
        #expect(
            patch([("c:3", #"{"id":3,"p":1,"o":0}"#)])
                == #"[{"op":"add","path":"/0/cs/0","value":{"id":3,"p":1,"o":0}}]"#)
        #expect(
            patch([("c:3", #"{"id":3,"p":1,"o":5}"#)])
                == #"[{"op":"move","from":"/0/cs/0","path":"/0/cs/2"},{"op":"replace","path":"/0/cs/2/o","value":5}]"#)
        #expect(patch([("c:2", nil)]) == #"[{"op":"remove","path":"/0/cs/1"}]"#)
        try world.check()
    }

    @Test func `another entity in the place of one replaces it whole`() throws {
        var world = ViewWorld()
        world.apply([("p:1", #"{"id":1,"c":1}"#), ("c:1", #"{"id":1,"n":1}"#), ("c:2", #"{"id":2,"n":1}"#)])
        try world.observe(#"{"from":"p","include":{"c":{"type":"c","on":{"@key":"p/c"},"one":true}},"select":{}}"#)
        func patch(_ change: (String, String?)) -> String {
            String(decoding: ViewPatchOperation.text(world.apply([change]).flatMap(\.patch)), as: UTF8.self)
        }
        #expect(patch(("p:1", #"{"id":1,"c":2}"#)) == #"[{"op":"replace","path":"/0/c","value":{"id":2,"n":1}}]"#)
        #expect(patch(("c:2", #"{"id":2,"n":2}"#)) == #"[{"op":"replace","path":"/0/c/n","value":2}]"#)
        #expect(patch(("c:2", nil)) == #"[{"op":"replace","path":"/0/c","value":null}]"#)
        try world.check()
    }

    @Test func `a window refills after many deletes`() throws {
        var world = ViewWorld()
        world.apply((1...200).map { ("p:\($0)", #"{"id":\#($0),"o":\#($0)}"#) })
        let window = try world.observe(#"{"from":"p","order":[{"path":"p/o"}],"limit":3,"total":true}"#)
        for first in stride(from: 1, to: 190, by: 7) {
            world.apply((first..<first + 7).map { ("p:\($0)", nil) })
            try world.check()
        }
        #expect(world.rows(window).contains(#"{"id":190,"o":190}"#))
    }

    @Test func `null and absent match nothing in a join, and are two groups`() throws {
        var world = ViewWorld()
        world.apply([
            ("p:1", #"{"id":1,"a":null}"#), ("p:2", #"{"id":2}"#), ("p:3", #"{"id":3,"a":[null,1]}"#),
            ("c:1", #"{"id":1,"b":null}"#), ("c:2", #"{"id":2}"#), ("c:3", #"{"id":3,"b":[null]}"#),
        ])
        let joined = try world.observe(#"{"from":"p","joins":[{"type":"c","on":{"/b":"p/a"}}]}"#)
        let elements = try world.observe(#"{"from":"p","joins":[{"type":"c","on":{"/b/*":"p/a/*"}}]}"#)
        let groups = try world.observe(#"{"from":"p","group":{"a":"p/a"},"aggregates":{"n":{"count":true}}}"#)
        #expect(world.rows(joined) == "[]" && world.rows(elements) == "[]")
        #expect(world.rows(groups) == #"[{"n":1},{"a":null,"n":1},{"a":[null,1],"n":1}]"#)
        try world.check()
    }

    @Test func `a group that loses its last member and gains one in one batch stays`() throws {
        var world = ViewWorld()
        world.apply([("p:1", #"{"id":1,"a":"x"}"#), ("p:2", #"{"id":2,"a":"y"}"#)])
        try world.observe(#"{"from":"p","group":{"a":"p/a"},"aggregates":{"n":{"count":true},"s":{"sum":"p/id"}}}"#)
        let updates = world.apply([("p:1", #"{"id":1,"a":"y"}"#), ("p:2", #"{"id":2,"a":"x"}"#)])
        let patch = String(decoding: ViewPatchOperation.text(updates.flatMap(\.patch)), as: UTF8.self)
        #expect(
            patch == #"[{"op":"replace","path":"/0/s","value":2},{"op":"replace","path":"/1/s","value":1}]"#)
        try world.check()
    }

    @Test func `a view over an empty type is ready`() throws {
        var world = ViewWorld()
        let window = try world.observe(KnownMistakeTests.children, step: 1)
        #expect(world.rows(window) == "[]")
        let one = try world.observe(#"{"from":"p","aggregates":{"n":{"count":true},"m":{"max":"p/a"}}}"#, step: 1)
        #expect(world.rows(one) == #"[{"n":0}]"#)
        world.apply([("p:1", #"{"id":1,"a":3}"#)])
        #expect(world.rows(one) == #"[{"n":1,"m":3}]"#)
        try world.check()
    }
}
