import TestTraits
import Testing

@testable import TidemarkViews

@Suite(.pooled) struct SharedUseTests {
    private static let feeds = [
        #"{"from":"post","joins":[{"type":"follow","as":"f","on":{"/who":"post/author","/me":{"param":"me"}}}]}"#,
        #"{"from":{"type":"follow","as":"f","where":{"path":"/me","eq":{"param":"me"}}},"#
            + #""joins":[{"type":"post","on":{"/author":"f/who"}}]}"#,
        #"{"from":"post","joins":[{"type":"follow","as":"f","on":{"/who":"post/author"}}],"#
            + #""where":{"path":"f/me","eq":{"param":"me"}}}"#,
        #"{"from":"post","joins":[{"type":"follow","as":"f","kind":"exists","#
            + #""on":{"/who":"post/author","/me":{"param":"me"}}}]}"#,
    ]

    @Test(arguments: feeds) func `a post reaches the uses that follow its author, and no other`(rule: String) throws {
        var world = ViewWorld()
        world.apply((0..<40).map { ("follow:\($0)", #"{"id":\#($0),"who":"w\#($0 % 4)","me":\#($0)}"#) })
        for me in 0..<40 { try world.observe(rule, #"{"me":\#(me)}"#) }
        let shape = try #require(world.views.shapes.values.first)
        #expect(world.views.shapes.count == 1 && shape.uses.count == 40 && shape.plan.route != nil)
        #expect(world.views.indexes.relations.count == 2)
        #expect(world.apply([("post:1", #"{"id":1,"author":"w3"}"#)]).count == 10)
        try world.check()
        #expect(world.apply([("follow:3", nil)]).count == 1)
        #expect(world.apply([("follow:3", #"{"id":3,"who":"w3","me":4.0}"#)]).count == 1)
        try world.check()
        #expect(world.apply([("post:1", #"{"id":1,"author":"w2"}"#)]).count == 20)
        try world.check()
        for window in world.observers.keys { world.close(window) }
        #expect(world.views.shapes.isEmpty && world.views.indexes.table.count == 0)
        #expect(world.views.dependents.byteCount == 0)
    }

    @Test func `uses and windows past their bounds are refused`() throws {
        var limits = ViewLimits()
        (limits.useCountMax, limits.windowCountMax) = (2, 2)
        var world = ViewWorld(limits: limits)
        let first = try world.observe(SharedUseTests.feeds[0], #"{"me":1}"#)
        try world.observe(SharedUseTests.feeds[0], #"{"me":2}"#)
        let rule = try ViewRule(json: Array(SharedUseTests.feeds[0].utf8))
        func binding(_ me: Int) throws -> ViewBinding { try ViewBinding(Array(#"{"me":\#(me)}"#.utf8), for: rule) }
        let held = world.views.hold(rule, try binding(2))
        let known = try #require(held)
        let refused = (world.views.hold(rule, try binding(3)), world.views.open(known, world.entities))
        #expect(refused.0 == nil && refused.1 == nil)
        world.close(first)
        let accepted = (world.views.hold(rule, try binding(3)), world.views.open(known, world.entities))
        #expect(accepted.0 != nil && accepted.1 != nil)
    }

    @Test func `uses with equal parameters are one`() throws {
        var world = ViewWorld()
        let first = try world.observe(SharedUseTests.feeds[0], #"{"me":1}"#)
        let second = try world.observe(SharedUseTests.feeds[0], #"{ "me" : 1 }"#, limit: 1)
        #expect(world.views.shapes.values.first?.uses.count == 1)
        world.close(first)
        #expect(world.views.shapes.values.first?.uses.count == 1)
        world.close(second)
        #expect(world.views.shapes.isEmpty)
    }

    @Test(arguments: [
        #"{"from":"t","joins":[{"type":"u","kind":"left","on":{"/a":"t/a","/b":{"param":"p"}}}]}"#,
        #"{"from":"t","joins":[{"type":"u","kind":"absent","on":{"/a":"t/a","/b":{"param":"p"}}}]}"#,
        #"{"from":"t","where":{"path":"t/a","gt":{"param":"p"}}}"#,
        #"{"from":"t","joins":[{"type":"u","on":{"/b":{"param":"p"}}}]}"#,
    ]) func `a parameter that does not tell rows apart makes each use walk for itself`(rule: String) throws {
        var world = ViewWorld()
        try world.observe(rule, #"{"p":1}"#)
        #expect(world.views.shapes.values.first?.plan.route == nil)
    }
}
