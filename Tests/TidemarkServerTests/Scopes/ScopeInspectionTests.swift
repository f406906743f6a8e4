import Foundation
import TestTraits
import Testing
import TidemarkServer
import TidemarkTesting

/// `/scopes`: what is served, and why a client sees an entity or not, for the person who runs the server.
@Suite(.pooled, .ownThreads) struct ScopeInspectionTests {
    private typealias Served = ServedScopes

    private func get(_ served: ServedScopes, _ query: String, as token: String? = nil) async throws
        -> RawConnection.Answer
    {
        try await served.ask("GET", "/scopes" + query, as: token ?? served.token.text)
    }

    @Test func `the server's token shows clients, entities, lines and lag of each scope`() async throws {
        let served = try await Served()
        try await served.feed(
            Served.member("u1", "p1"), Served.change("issue", #"{"id":"i1","project":"p1"}"#),
            Served.change("issue", #"{"id":"i2","project":"p1"}"#))
        let reader = try await served.stream("/scopes/project?project=p1", as: "u1")
        _ = try await reader.state()
        let answer = try await get(served, "")
        #expect(answer.status == 200)
        let json = try #require(try JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any])
        let scopes = try #require(json["scopes"] as? [[String: Any]])
        #expect(scopes.map { $0["name"] as? String } == ["project", "public"])
        #expect(scopes[0]["types"] as? [String] == ["issue", "project"])
        #expect(scopes[0]["params"] as? [String] == ["project"])
        let counts = ["clients": 1, "instances": 1, "entities": 2, "lines": 3, "states": 1, "cut": 0, "lag": 0]
        for (name, count) in counts { #expect(scopes[0][name] as? Int == count, "\(name)") }
        #expect(!answer.text.contains("p1") && !answer.text.contains("u1"))
        #expect(try await get(served, "", as: "u1").status == 401)
        try await served.stop()
    }

    @Test func `an entity is explained for claims, with what is sent or the place that keeps it out`() async throws {
        let served = try await Served()
        try await served.feed(
            Served.member("u1", "p1"),
            Served.change("issue", #"{"id":"i1","project":"p1","internal_notes":"secret"}"#),
            Served.change("issue", #"{"id":"i2","project":"p2"}"#))
        func explain(_ entity: String, _ claims: String, scope: String = "project") async throws -> String {
            let query = [("scope", scope), ("entity", entity), ("claims", claims), ("params", #"{"project":"p1"}"#)]
                .map { "\($0.0)=\($0.1.addingPercentEncoding(withAllowedCharacters: .alphanumerics) ?? "")" }
            return try await get(served, "?" + query.joined(separator: "&")).text
        }
        #expect(
            try await explain("issue:i1", #"{"sub":"u1"}"#)
                == #"{"scope":"project","entity":"issue:i1","in":true,"sent":{"id":"i1","project":"p1"}}"# + "\n")
        let hidden = try await explain("issue:i2", #"{"sub":"u1"}"#)
        #expect(hidden.contains(#""in":false"#) && hidden.contains(#""at":"/scopes/project/types/issue/where""#))
        #expect(try await explain("issue:i1", #"{"sub":"u2"}"#).contains(#""at":"/scopes/project/require/0""#))
        #expect(try await explain("issue:i1", "[]").contains("claims is not one JSON object"))
        #expect(try await explain("issue", "{}").contains("entity is not a type"))
        #expect(try await explain("issue:i1", "{}", scope: "projekt").contains("no such scope"))
        try await served.stop()
    }
}
