import TestTraits
import Testing

@Suite(.pooled) struct IssueTreeTests {
    private static let issues = #"""
        {"from":{"type":"issue","where":{"path":"/archived","ne":true}},
         "joins":[{"type":"project","as":"project","on":{"@key":"issue/project"}},
                  {"type":"user","as":"owner","kind":"left","on":{"@key":"issue/assignee"}},
                  {"type":"membership","kind":"exists","on":{"/project":"project@key","/user":{"param":"me"}}}],
         "where":{"path":"project/status","eq":"active"},
         "include":{"comments":{"type":"comment","on":{"/issue":"issue@key"},
                                "order":[{"path":"/created","direction":"desc"}],"limit":3,
                                "include":{"author":{"type":"user","on":{"@key":"comment/author"},"one":true}}},
                    "votes":{"type":"vote","on":{"/issue":"issue@key"},"aggregates":{"n":{"count":true}}}},
         "select":{"id":"issue/id","title":"issue/title","project":"project/name","owner":"owner/name"},
         "order":[{"path":"issue/created","direction":"desc"}],
         "limit":50,"total":true}
        """#

    @Test func `an issue list with its tree follows every change`() throws {
        var world = ViewWorld()
        world.apply([
            ("project:1", #"{"id":1,"name":"One","status":"active"}"#), ("user:7", #"{"id":7,"name":"Ann"}"#),
            ("membership:1", #"{"id":1,"project":1,"user":"me"}"#),
            ("issue:1", #"{"id":1,"title":"a","project":1,"assignee":7,"created":1}"#),
            ("issue:2", #"{"id":2,"title":"b","project":1,"created":2}"#),
        ])
        let window = try world.observe(IssueTreeTests.issues, #"{"me":"me"}"#, step: 2)
        try world.check()
        #expect(
            world.rows(window)
                == #"[{"id":2,"title":"b","project":"One","comments":[],"votes":{"n":0}},"#
                + #"{"id":1,"title":"a","project":"One","owner":"Ann","comments":[],"votes":{"n":0}}]"#)
        world.apply([("comment:1", #"{"id":1,"issue":2,"author":7,"created":5}"#), ("vote:1", #"{"id":1,"issue":2}"#)])
        try world.check()
        world.apply([("user:7", #"{"id":7,"name":"Bea"}"#)])
        try world.check()
        world.apply([("project:1", #"{"id":1,"name":"Two","status":"active"}"#)])
        try world.check()
        world.apply([("membership:1", nil)])
        try world.check()
        #expect(world.rows(window) == "[]")
    }
}
