import TestTraits
import Testing
import TidemarkViews

/// What a change reads: what changes in the result, and not what is stored.
@Suite(.pooled) struct ViewCostTests {
    /// Returns how many entities views read while a change is applied.
    private func reads(_ world: inout ViewWorld, _ change: (String, String?)) -> Int {
        world.entities.readCount = 0
        world.apply([change])
        return world.entities.readCount
    }

    private func issues(_ count: Int) -> ViewWorld {
        var world = ViewWorld()
        world.apply((0..<count).map { ("issue:\($0)", #"{"id":\#($0),"project":1,"created":\#($0)}"#) })
        world.apply([("project:1", #"{"id":1,"name":"a","open":true}"#)])
        return world
    }

    private static let list =
        #"{"from":"issue","joins":[{"type":"project","on":{"@key":"issue/project"}}],"#
        + #""where":{"path":"project/open","eq":true},"order":[{"path":"issue/created","direction":"desc"}],"#
        + #""limit":5,"select":{"i":"issue/id","p":"project/name"}}"#

    @Test func `a new name of a project reads its visible issues and no other`() throws {
        var counts: [Int] = []
        for count in [50, 500] {
            var world = issues(count)
            try world.observe(ViewCostTests.list)
            counts.append(reads(&world, ("project:1", #"{"id":1,"name":"b","open":true}"#)))
            try world.check()
        }
        #expect(counts[0] == counts[1] && counts[0] <= 10)
    }

    @Test func `a change at the edge of a window reads the same, however many rows there are`() throws {
        var counts: [Int] = []
        for count in [50, 500] {
            var world = issues(count)
            try world.observe(ViewCostTests.list)
            counts.append(reads(&world, ("issue:0", #"{"id":0,"project":1,"created":9999}"#)))
            counts.append(reads(&world, ("issue:0", #"{"id":0,"project":1,"created":0}"#)))
            try world.check()
        }
        #expect(counts[0] == counts[2] && counts[1] == counts[3] && (counts.max() ?? 0) <= 10)
    }

    @Test func `a vote reads no other vote`() throws {
        var counts: [Int] = []
        for count in [5, 500] {
            var world = ViewWorld()
            world.apply([("issue:1", #"{"id":1}"#)])
            world.apply((0..<count).map { ("vote:\($0)", #"{"id":\#($0),"issue":1,"n":\#($0)}"#) })
            try world.observe(
                #"{"from":"issue","include":{"v":{"type":"vote","on":{"/issue":"issue@key"},"#
                    + #""aggregates":{"n":{"count":true},"m":{"max":"/n"}}}}}"#)
            counts.append(reads(&world, ("vote:1", #"{"id":1,"issue":1,"n":9999}"#)))
            counts.append(reads(&world, ("vote:1", nil)))
            try world.check()
        }
        #expect(counts[0] == counts[2] && counts[1] == counts[3] && (counts.max() ?? 0) <= 5)
    }

    @Test func `computing a view reads each entity of its first source once`() throws {
        for step in [7, 1_000] {
            var world = issues(500)
            world.entities.readCount = 0
            try world.observe(ViewCostTests.list, step: step)
            // Each step reads the project once more, and the five shown rows are read to be shown.
            #expect(world.entities.readCount <= 500 + 1 + 500 / step + 1 + 6, "\(world.entities.readCount) by \(step)")
            try world.check()
        }
    }

    @Test func `a change of a project moves each of its many rows to its own place`() throws {
        var world = issues(30)
        let rule =
            #"{"from":"issue","joins":[{"type":"project","on":{"@key":"issue/project"}}],"#
            + #""order":[{"path":"project/name"},{"path":"issue/created","direction":"desc"}],"#
            + #""select":{"i":"issue/id","p":"project/name"}}"#
        try world.observe(rule)
        world.apply([("project:2", #"{"id":2,"name":"b","open":true}"#), ("issue:40", #"{"id":40,"project":2}"#)])
        for name in ["c", "a"] {
            // With every other issue at another place, each row is reached by the project and half of them again.
            let moved = stride(from: 0, to: 30, by: 2).map { id in
                ("issue:\(id)", #"{"id":\#(id),"project":1,"created":\#(100 - id)}"# as String?)
            }
            world.apply([("project:1", #"{"id":1,"name":"\#(name)","open":true}"#)] + moved)
            try world.check("\(name)")
        }
    }

    @Test func `an exists with another match walks no rows`() throws {
        var counts: [Int] = []
        for count in [50, 500] {
            var world = issues(count)
            world.apply([("m:1", #"{"id":1,"project":1}"#), ("m:2", #"{"id":2,"project":1}"#)])
            try world.observe(
                #"{"from":"project","joins":[{"type":"m","kind":"exists","on":{"/project":"project@key"}},"#
                    + #"{"type":"issue","on":{"/project":"project@key"}}],"limit":5}"#)
            counts.append(reads(&world, ("m:2", nil)))
            try world.check()
        }
        #expect(counts[0] == counts[1] && counts[0] <= 10)
    }

    @Test func `a change of a type that no view has reads nothing`() throws {
        var world = issues(50)
        try world.observe(ViewCostTests.list)
        #expect(reads(&world, ("comment:1", "{}")) == 0)
        #expect(reads(&world, ("issue:1", #"{"id":1,"project":1,"created":1,"text":"t"}"#)) == 0)
    }
}
