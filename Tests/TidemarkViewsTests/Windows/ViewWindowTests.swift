import TestTraits
import Testing
import TidemarkModel
import TidemarkViews

@Suite(.pooled) struct ViewWindowTests {
    private static let list = #"{"from":"p","order":[{"path":"p/o"}],"limit":3,"offset":1,"total":true}"#

    private func world(_ count: Int) -> ViewWorld {
        var world = ViewWorld()
        world.apply((1...count).map { ("p:\($0)", #"{"id":\#($0),"o":\#($0 * 10)}"#) })
        return world
    }

    private func patch(_ updates: [ViewUpdate]) -> String {
        String(decoding: ViewPatchOperation.text(updates.flatMap(\.patch)), as: UTF8.self)
    }

    @Test func `a change outside the window sends nothing, unless the total shows`() throws {
        var world = world(9)
        let window = try world.observe(ViewWindowTests.list)
        let bare = try world.observe(#"{"from":"p","order":[{"path":"p/o"}],"limit":3}"#)
        #expect(world.apply([("p:9", #"{"id":9,"o":95}"#)]).isEmpty)
        let updates = world.apply([("p:9", nil)])
        #expect(updates.map(\.window) == [window] && updates[0].patch.isEmpty && updates[0].total == 8)
        #expect(world.apply([("p:10", #"{"id":10,"o":5}"#)]).map(\.window) == [window, bare])
        try world.check()
    }

    @Test func `a row that moves inside the window is one move, and the edge is touched alone`() throws {
        var world = world(9)
        try world.observe(ViewWindowTests.list)
        #expect(
            patch(world.apply([("p:2", #"{"id":2,"o":45}"#)]))
                == #"[{"op":"move","from":"/0","path":"/2"},{"op":"replace","path":"/2/o","value":45}]"#)
        #expect(
            patch(world.apply([("p:4", #"{"id":4,"o":65}"#)]))
                == #"[{"op":"remove","path":"/1"},{"op":"add","path":"/2","value":{"id":5,"o":50}}]"#)
        try world.check()
    }

    @Test func `a rotation of the whole list is one move`() throws {
        var world = world(9)
        try world.observe(#"{"from":"p","order":[{"path":"p/o"}],"select":{"id":"p/id"}}"#)
        #expect(patch(world.apply([("p:1", #"{"id":1,"o":99}"#)])) == #"[{"op":"move","from":"/0","path":"/8"}]"#)
        try world.check()
    }

    @Test func `a moved window sends its difference, and what is not given stays`() throws {
        var world = world(9)
        let window = try world.observe(ViewWindowTests.list)
        let before = world.rows(window)
        world.move(window, offset: 2, limit: nil)
        try world.check()
        world.move(window, offset: nil, limit: 1)
        #expect(world.rows(window) == #"[{"id":3,"o":30}]"#)
        try world.check()
        world.move(window, offset: 1, limit: 3)
        #expect(world.rows(window) == before)
        world.move(window, offset: 50, limit: nil)
        #expect(world.rows(window) == "[]")
        try world.check()
    }

    @Test func `equal rows are ordered by the bytes of their keys, no entity first`() throws {
        var world = ViewWorld()
        world.apply([
            ("p:2", #"{"id":2}"#), ("p:10", #"{"id":10}"#), ("p:1", #"{"id":1}"#), ("c:1", #"{"id":1,"p":10}"#),
            ("c:2", #"{"id":2,"p":10}"#),
        ])
        let window = try world.observe(
            #"{"from":"p","joins":[{"type":"c","kind":"left","on":{"/p":"p@key"}}],"select":{"p":"p/id","c":"c/id"}}"#)
        #expect(world.rows(window) == #"[{"p":1},{"p":10,"c":1},{"p":10,"c":2},{"p":2}]"#)
        try world.check()
    }

    @Test func `a result past the limit shows nothing and says so`() throws {
        var limits = ViewLimits()
        limits.rowCountMax = 3
        var world = ViewWorld(limits: limits)
        world.apply((1...3).map { ("p:\($0)", #"{"id":\#($0)}"#) })
        let window = try world.observe(#"{"from":"p"}"#)
        #expect(world.views.result(window)?.rows.count == 3)
        let updates = world.apply([("p:4", #"{"id":4}"#)])
        #expect(updates.map(\.isTooLarge) == [true] && world.rows(window) == "[]")
        world.apply([("p:4", nil)])
        try world.check()
    }

    @Test func `added rows have their keys in the order of their operations`() throws {
        var world = world(2)
        try world.observe(ViewWindowTests.list.replacing(#","offset":1"#, with: ""))
        let updates = world.apply([("p:5", #"{"id":5,"o":1}"#), ("p:6", #"{"id":6,"o":15}"#)])
        #expect(updates[0].addedKeys.map { String(decoding: $0.text, as: UTF8.self) } == [#"["p:5"]"#, #"["p:6"]"#])
        #expect(
            patch(updates)
                == #"[{"op":"remove","path":"/1"},{"op":"add","path":"/0","value":{"id":5,"o":1}},"#
                + #"{"op":"add","path":"/2","value":{"id":6,"o":15}}]"#)
    }

    @Test func `a suspended window is brought up to date with one patch`() throws {
        var world = world(9)
        let window = try world.observe(ViewWindowTests.list)
        world.suspend(window)
        #expect(world.apply([("p:2", nil)]).isEmpty)
        #expect(world.apply([("p:3", #"{"id":3,"o":31}"#)]).isEmpty)
        #expect(world.apply([("p:20", #"{"id":20,"o":33}"#)]).isEmpty)
        world.resume(window)
        #expect(world.rows(window) == #"[{"id":3,"o":31},{"id":20,"o":33},{"id":4,"o":40}]"#)
        try world.check()
    }
}
