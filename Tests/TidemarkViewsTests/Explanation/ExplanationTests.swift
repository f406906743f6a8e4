import TestTraits
import Testing
import TidemarkModel
import TidemarkViews

@Suite(.pooled) struct ExplanationTests {
    private static let rule =
        #"{"from":{"type":"issue","where":{"path":"/archived","ne":true}},"#
        + #""joins":[{"type":"project","on":{"@key":"issue/project"},"where":{"path":"/open","eq":true}},"#
        + #"{"type":"m","kind":"exists","on":{"/project":"project@key","/user":{"param":"me"}}},"#
        + #"{"type":"block","kind":"absent","on":{"/issue":"issue@key"}}],"#
        + #""where":{"any":[{"path":"issue/n","lt":10},{"path":"project/n","lt":10}]},"#
        + #""order":[{"path":"issue/n"}],"limit":2,"select":{"id":"issue/id"}}"#

    private func world() throws -> (ViewWorld, ViewWindowID) {
        var world = ViewWorld()
        world.apply([
            ("project:1", #"{"id":1,"open":true}"#), ("project:2", #"{"id":2,"open":false}"#),
            ("project:3", #"{"id":3,"open":true}"#), ("m:1", #"{"id":1,"project":1,"user":"me"}"#),
            ("issue:1", #"{"id":1,"project":1,"n":1}"#), ("issue:2", #"{"id":2,"project":1,"n":2}"#),
            ("issue:3", #"{"id":3,"project":1,"n":3}"#), ("issue:4", #"{"id":4,"project":1,"n":4,"archived":true}"#),
            ("issue:5", #"{"id":5,"project":9,"n":5}"#), ("issue:6", #"{"id":6,"project":2,"n":6}"#),
            ("issue:7", #"{"id":7,"project":3,"n":7}"#), ("issue:8", #"{"id":8,"project":1,"n":8}"#),
            ("block:1", #"{"id":1,"issue":8}"#), ("issue:9", #"{"id":9,"project":1,"n":10}"#), ("issue:0", nil),
        ])
        let window = try world.observe(ExplanationTests.rule, #"{"me":"me"}"#)
        return (world, window)
    }

    @Test(
        arguments: [
            ("issue:3", "/limit", nil, nil), ("issue:4", "/from/where", "true", "issue:4"),
            ("issue:5", "/joins/0/on/@key", "9", "issue:5"), ("issue:6", "/joins/0/where", "false", "project:2"),
            ("issue:7", "/joins/1/on/~1project", nil, "project:3"), ("issue:8", "/joins/2", nil, "block:1"),
            ("issue:9", "/where", nil, nil), ("issue:0", "/from", nil, "issue:0"), ("other:1", "/from", nil, "other:1"),
            ("project:2", "/joins/0/where", "false", "project:2"),
        ] as [(String, String, String?, String?)])
    func `the first condition that failed is named with its value`(
        entity: String, at: String, value: String?, culprit: String?
    ) throws {
        let (world, window) = try world()
        let explanation = world.views.explain(ViewWorld.key(entity), window, world.entities)
        guard case .failed(let failure) = explanation else {
            Issue.record("\(entity) is not in a row: \(String(describing: explanation))")
            return
        }
        #expect(failure.at == at)
        #expect(failure.value.map { String(decoding: $0, as: UTF8.self) } == value)
        #expect(failure.entity?.text.description == culprit)
        #expect(failure.isMiss == (entity == "issue:0" || entity == "other:1"))
    }

    @Test func `an entity in a result names its rows, and a row its entities`() throws {
        let (world, window) = try world()
        let issue = ViewRowKey.entities([ViewWorld.key("issue:1"), ViewWorld.key("project:1")])
        #expect(world.views.explain(ViewWorld.key("issue:1"), window, world.entities) == .rows([issue]))
        #expect(
            world.views.entities(behind: issue, window, world.entities).map(\.text) == ["issue:1", "project:1"])
        #expect(world.views.missing(window).map(\.text) == ["project:9"])
        #expect(world.views.plan(window).map(\.operation) == ["from", "inner", "exists", "absent", "where", "order"])
        #expect(world.views.isPending(window, covered: [ViewWorld.key("project:1")], world.entities))
        #expect(!world.views.isPending(window, covered: [ViewWorld.key("issue:3")], world.entities))
    }

    @Test func `a group names what it counts`() throws {
        var world = ViewWorld()
        world.apply([("t:1", #"{"id":1,"a":1}"#), ("t:2", #"{"id":2,"a":1.0}"#), ("t:3", #"{"id":3,"a":2}"#)])
        let window = try world.observe(#"{"from":"t","group":{"a":"t/a"},"having":{"path":"/a","lt":2}}"#)
        let group = ViewRowKey.group([Array("1".utf8)])
        #expect(world.views.explain(ViewWorld.key("t:2"), window, world.entities) == .rows([group]))
        #expect(world.views.entities(behind: group, window, world.entities).map(\.text) == ["t:1", "t:2"])
        #expect(world.views.isPending(window, covered: [ViewWorld.key("t:2")], world.entities))
        #expect(!world.views.isPending(window, covered: [ViewWorld.key("t:3")], world.entities))
        guard case .failed(let failure) = world.views.explain(ViewWorld.key("t:3"), window, world.entities) else {
            Issue.record("the group that having drops is shown")
            return
        }
        #expect(failure.at == "/having")
    }
}
