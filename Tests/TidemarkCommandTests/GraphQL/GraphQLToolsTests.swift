import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// The tools over a database of a session that used GraphQL: an answer in parts, a mutation, a write, and events
/// beside.
@Suite(.pooled, .tags(.process)) struct GraphQLToolsTests {
    private let folder: TemporaryFolder
    private let database: String
    private let recording: String

    private func run(_ arguments: [String]) async throws -> CommandResult { try await CommandRunner().run(arguments) }

    private static func request(_ id: Int, _ method: String, _ params: String) -> String {
        #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
    }

    /// The host's lines. The cache's own requests are numbered from 1: the read is the first, the mutation the second.
    private static let lines = [
        request(
            1, "graphql.read",
            #"{"document":"{ hero { __typename id ... @defer(label: \"d\") { name friends { __typename id name } } } }"}"#
        ),
        #"{"jsonrpc":"2.0","id":"tm-1","result":{"data":{"hero":{"__typename":"C","id":"1"}},"hasNext":true}}"#,
        #"{"jsonrpc":"2.0","method":"graphql.part","params":{"fetch":1,"incremental":[{"path":["hero"],"label":"d","data":{"name":"R2","friends":[{"__typename":"C","id":"2","name":"Luke"}]}}],"hasNext":false}}"#,
        EventLine.change(#"{"id":"2","name":"Leia"}"#, type: "C", sequence: 1),
        request(
            2, "graphql.mutate",
            #"{"document":"mutation { rename { __typename id name } }","pending_id":"p1","optimistic":{"rename":{"__typename":"C","id":"1","name":"hoped"}}}"#
        ),
        #"{"jsonrpc":"2.0","id":"tm-2","result":{"data":{"rename":{"__typename":"C","id":"1","name":"Artoo"}}}}"#,
        request(3, "graphql.write", #"{"document":"{ box(n: 1) { w } }","data":{"box":{"w":1.50}},"as_of":1}"#),
    ]

    init() async throws {
        folder = try TemporaryFolder()
        (database, recording) = (folder.path("cache.db"), folder.path("s.rec"))
        let live = try LiveCommand(["run", "--db", database, "--record", recording, "--graphql-write", "incremental"])
        // Each answer of the host follows the request that it answers.
        func wait(for text: String) throws {
            while case .line(let line) = live.next(seconds: 120) {
                if String(decoding: line, as: UTF8.self).contains(text) { return }
            }
            Issue.record("no line with \(text)")
        }
        let waits = [
            #""id":"tm-1""#, "", #""id":1,"result""#, "", #""id":"tm-2""#, #""id":2,"result""#, #""id":3,"result""#,
        ]
        for (line, wanted) in zip(Self.lines, waits) {
            live.write(Array((line + "\n").utf8))
            if !wanted.isEmpty { try wait(for: wanted) }
        }
        let end = live.finish(seconds: 60)
        try #require(end.status == 0, "\(end.errors)")
    }

    @Test func `export has root fields, references and embedded objects as they were answered`() async throws {
        let lines = try await run(["export", "--db", database]).outputLines
        func resource(_ type: String, _ id: String) -> String? {
            lines.first { $0.contains(#""\#(type)""#) && $0.contains(#"{"id":"\#(id)""#) }
        }
        #expect(resource("Query", "hero")?.contains(#"{"id":"hero","value":{"__ref":"C:1"}}"#) == true, "\(lines)")
        #expect(
            resource("C", "1")?.contains(#"{"id":"1","name":"Artoo","friends":[{"__ref":"C:2"}]}"#) == true, "\(lines)")
        #expect(resource("C", "2")?.contains(#"{"id":"2","name":"Leia"}"#) == true, "\(lines)")
        #expect(lines.contains { $0.contains(#""value":{"w":1.50}"#) }, "\(lines)")
    }

    @Test func `verify and doctor find nothing`() async throws {
        let verify = try await run(["verify", "--db", database])
        #expect(verify.status == 0, "\(verify.outputText)\(verify.errorText)")
        let doctor = try await run(["doctor", "--db", database])
        #expect(doctor.status == 0, "\(doctor.outputText)\(doctor.errorText)")
    }

    @Test func `a replay makes the same database, and bisect finds the turn of a field`() async throws {
        let replayed = folder.path("replayed.db")
        let replay = try await run(["replay", recording, "--json", "--db", replayed])
        #expect(replay.status == 0 && replay.outputText.contains(#""divergence":null"#), "\(replay.outputText)")
        let exports = [
            try await run(["export", "--db", database]).output, try await run(["export", "--db", replayed]).output,
        ]
        #expect(exports[0] == exports[1] && !exports[0].isEmpty)
        let bisect = try await run(["bisect", recording, "--entity", "C:2", "--json"])
        #expect(bisect.status == 0 && !bisect.outputText.isEmpty, "\(bisect.outputText)\(bisect.errorText)")
    }
}
