import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// The table at the beginning of `Protocol/sessions.md`, against the schema and a session.
@Suite(.pooled, .tags(.process)) struct MethodTableTests {
    private struct Row {
        var method: String
        /// The name and type of each param; a name that ends with a question mark is optional.
        var params: [Substring]
        var results: [String]
        var example: [String: Any]
    }

    private func rows() throws -> [Row] {
        let pattern = /\| \[`([a-z_.]+)`\]\(#[a-z_]+\) \| ([^|]+) \| ([^|]+) \| `(.+)` \|/
        return try Tree.text("Protocol/sessions.md").split(separator: "\n").compactMap { line in
            guard let match = line.wholeMatch(of: pattern) else { return nil }
            let example = try JSONSerialization.jsonObject(with: Data(match.4.utf8)) as? [String: Any]
            return Row(
                method: String(match.1), params: match.2.matches(of: /`([a-z_0-9]+\??)`/).map(\.1),
                results: match.3.matches(of: /`([a-z_]+)`/).map { String($0.1) }.filter { $0 != "entity.get" },
                example: try #require(example))
        }
    }

    private func object(_ schema: String) throws -> [String: Any] {
        let bytes = try Data(contentsOf: Tree.url("Protocol/schema/\(schema)"))
        return try #require(try JSONSerialization.jsonObject(with: bytes) as? [String: Any])
    }

    @Test func `the table lists every method with the params of its schema`() throws {
        let schema = try object("session-request.schema.json")
        let definitions = try #require(schema["$defs"] as? [String: [String: Any]])
        let properties = try #require(schema["properties"] as? [String: [String: Any]])
        let rows = try rows()
        #expect(rows.map(\.method).sorted() == properties["method"]?["enum"] as? [String])
        for row in rows {
            var definition = [try #require(definitions[row.method])]
            // A server's answer is the same object in every place.
            if row.method == "query.put" { definition.append(try object("query-result.schema.json")) }
            let required = Set(definition.flatMap { $0["required"] as? [String] ?? [] })
            // Every method takes a library; the table names it where it has to be passed.
            let known = Set(definition.flatMap { ($0["properties"] as? [String: Any] ?? [:]).keys })
                .subtracting(Set(["library_id"]).subtracting(required))
            // A row that refers to another row names only the additional params.
            let base: [Substring] =
                switch row.method {
                case "entity.observe": try #require(rows.first { $0.method == "entity.get" }).params
                case "http.observe": try #require(rows.first { $0.method == "http.fetch" }).params
                case "query.observe": try #require(rows.first { $0.method == "query.read" }).params
                default: []
                }
            let params = base + row.params
            #expect(Set(params.map { String($0.prefix { $0 != "?" }) }) == known, "\(row.method)")
            #expect(Set(params.filter { !$0.hasSuffix("?") }.map(String.init)) == required, "\(row.method)")
            #expect(row.example["method"] as? String == row.method)
        }
    }

    @Test func `every example of the table is answered as the table says`() async throws {
        let rows = try rows()
        #expect(rows.count >= 19)
        var lines = [
            #"{"jsonrpc":"2.0","method":"optimistic.update","params":{"pending_id":"p2","changes":[{"op":"delete","resource_type":"file","id":"x"}]}}"#,
            #"{"jsonrpc":"2.0","method":"optimistic.update","params":{"pending_id":"p3","changes":[{"op":"delete","resource_type":"file","id":"y"}],"send":{"method":"files.delete"}}}"#,
        ]
        for (index, row) in rows.enumerated() {
            var request = row.example
            request["jsonrpc"] = "2.0"
            request["id"] = index
            lines.append(String(decoding: try JSONSerialization.data(withJSONObject: request), as: UTF8.self))
        }
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let result = try await CommandRunner().run(
            ["run", "--db", folder.path("a.db"), "--upstream", "none"],
            input: Array(lines.joined(separator: "\n").utf8))
        #expect(result.status == 0)
        var answers: [Int: [String: Any]] = [:]
        for line in result.outputLines {
            let answer = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
            if let id = answer?["id"] as? Int { answers[id] = answer }
        }
        for (index, row) in rows.enumerated() {
            let answer = try #require(answers[index], "\(row.method) was not answered")
            if row.method == "graphql.mutate" {
                // Nobody can be asked to perform a mutation here.
                #expect((answer["error"] as? [String: Any])?["code"] as? Int == 1_003)
                continue
            }
            let members = try #require(answer["result"] as? [String: Any], "\(row.method): \(answer)")
            #expect(Set(row.results).isSubset(of: members.keys), "\(row.method): \(members)")
        }
    }
}
