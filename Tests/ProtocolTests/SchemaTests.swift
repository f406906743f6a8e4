import Foundation
import TestTraits
import Testing
import TidemarkModel
import TidemarkReferenceModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// The output of the command against Protocol/schema.
@Suite(
    .enabled(if: PythonEnvironment.interpreter != nil, "\(PythonEnvironment.advice)"), .pooled,
    .tags(.process))
struct SchemaTests {
    private static let script = """
        import json, os, sys, warnings
        warnings.simplefilter("ignore")
        from jsonschema import Draft202012Validator
        from referencing import Registry, Resource
        folder = sys.argv[1]
        schemas = {n[:-12]: json.load(open(os.path.join(folder, n))) for n in os.listdir(folder) if n.endswith(".schema.json")}
        registry = Registry().with_resources([(s["$id"], Resource.from_contents(s)) for s in schemas.values()])
        for line in sys.stdin.buffer.read().split(b"\\n"):
            if not line: continue
            name, text = line.split(b"\\t", 1)
            for error in Draft202012Validator(schemas[name.decode()], registry=registry).iter_errors(json.loads(text)):
                print(name.decode(), error.json_path, error.message[:200])
        """

    @Test func `every vector and every transcript fits the schemas`() async throws {
        let interpreter = try #require(PythonEnvironment.interpreter)
        let script = ProtocolVector.protocolFolder.appending(path: "schema/check.py").path
        let result = try await CommandRunner(executable: interpreter).run([script])
        #expect(result.status == 0, "\(result.outputText)\(result.errorText)")
        #expect(result.outputText.contains(" checked, 0 bad;"), "\(result.outputText)")
    }

    @Test func `the JSON output of every command fits its schema`() async throws {
        let folder = try TemporaryFolder()
        let database = folder.path("a.db")
        var lines: [UInt8] = []
        func add(_ schema: String, _ output: some Sequence<UInt8>) {
            lines += Array(schema.utf8) + [0x09] + output + [0x0A]
        }
        let wanted = ["traces/gaps-lost-one-by-one", "valid/batch-bad-members", "traces/epoch-change"]
        for vector in try ProtocolVector.all() where wanted.contains(vector.name) {
            for run in vector.runs {
                let output = try await CommandRunner().run(
                    ["ingest", "--ack", "--db", database], input: try vector.input(of: run)
                ).output.split(separator: 0x0A)
                for line in output.dropLast() { add("ack", line) }
                if let last = output.last { add("summary", last) }
            }
        }
        for line in try await CommandRunner().run(["export", "--db", database]).output.split(separator: 0x0A) {
            add("export-line", line)
        }
        for (schema, arguments) in [
            ("gaps", ["gaps", "--json"]), ("list", ["list", "--library", "a", "--json"]),
            ("get", ["get", "--library", "a", "file:f1", "--json"]), ("get", ["get", "file:none", "--json"]),
            ("stats", ["stats", "--json"]), ("verify", ["verify", "--json"]),
            ("doctor", ["doctor", "--json"]),
            ("list", ["list", "--type", "file", "--order", "/id:desc", "--json"]),
            ("facets", ["facets", "file", "/id", "--json"]),
        ] {
            let result = try await CommandRunner().run(arguments + ["--db", database])
            #expect(result.status == 0, "\(arguments): \(result.errorText)")
            add(schema, result.output.filter { $0 != 0x0A })
        }
        try folder.write([], to: "damaged-lock")
        let others = [
            (folder.path("none"), Int32(66)), (try folder.write([1, 2], to: "rubbish"), 78),
            (try folder.write([1, 2], to: "damaged"), 65),
        ]
        for (path, status) in others {
            let result = try await CommandRunner().run(["doctor", "--json", "--db", path])
            #expect(result.status == status)
            add("doctor", result.output.filter { $0 != 0x0A })
        }
        let stream = Array(EventLine.change(#"{"id":"1"}"#).utf8) + [0x0A]
        let source = try folder.write(stream + Array("oops\n\n\u{FEFF}\n".utf8) + stream, to: "stream")
        let recording = folder.path("stream.rec")
        for (schema, arguments) in [
            ("replay", ["replay", source, "--record", recording, "--json"]),
            ("replay", ["replay", recording, "--json"]),
            ("bisect", ["bisect", recording, "--entity", "file:1", "--json"]),
            ("bisect", ["bisect", source, "--entity", "file:1", "--all", "--json"]),
            ("bisect", ["bisect", source, "--state", "stale", "--json"]),
            ("verify", ["verify", "--repair", "--json", "--db", database]),
        ] {
            let result = try await CommandRunner().run(arguments)
            #expect(result.status == 0, "\(arguments): \(result.errorText)")
            add(schema, result.output.filter { $0 != 0x0A })
        }
        for line in [UInt8](try Data(contentsOf: URL(fileURLWithPath: recording))).split(separator: 0x0A) {
            add("recording-line", line)
        }
        for policy in ["type A @cacheControl(maxAge: 1) { b: [A] c: Int }", "type A @cacheControl { b: B }", "type"] {
            let path = try folder.write(Array(policy.utf8), to: "policy")
            let result = try await CommandRunner().run(["policy", "check", "--json", path])
            add("policy", result.output.filter { $0 != 0x0A })
            let checked = try await CommandRunner().run(["graphql", "check", "--json", "--schema", path, path])
            add("graphql-check", checked.output.filter { $0 != 0x0A })
        }
        try await addQueries(to: database)
        for arguments in [["queries", "--json"], ["queries", "--json", "--keys"]] {
            let found = try await CommandRunner().run(arguments + ["--db", database]).output.split(separator: 0x0A)
            #expect(found.count == 2)
            for line in found { add("queries", line) }
        }
        for library in [["--library", "a"], ["--library", "none"], []] {
            let result = try await CommandRunner().run(["pending", "--json", "--db", database] + library)
            #expect(result.status == 0)
            add("pending", result.output.filter { $0 != 0x0A })
        }
        try await check(lines)
    }

    @Test func `the messages of a session fit their schemas`() async throws {
        let folder = try TemporaryFolder()
        let transcripts = [
            "batch", "flush", "invalid-requests", "gap-host-has-no-log", "wrong-params-entity", "stats", "clear",
            "explain",
            "fetch-cache-and-network", "invalidate", "observe-select", "query-limit", "remove", "transaction",
        ]
        var lines: [UInt8] = []
        for transcript in try Transcript.all() where transcripts.contains(transcript.name) {
            let said = transcript.lines.filter { $0.member("say")?.text == Array("host".utf8) }
            let input = said.flatMap { $0.member("lines")?.elements ?? $0.member("line").map { [$0] } ?? [] }
            let output = try await CommandRunner().run(
                ["run", "--db", folder.path("\(transcript.name).db")],
                input: input.reduce(into: []) { $0 += ($1.text ?? $1.written) + [0x0A] }
            ).output.split(separator: 0x0A)
            #expect(!output.isEmpty, "\(transcript) says nothing")
            for line in output {
                let value = try ReferenceJSONParser.parse(Array(line))
                let schema =
                    value.member("method") == nil
                    ? "session-answer" : value.member("id") == nil ? "session-notification" : "session-call"
                lines += Array(schema.utf8) + [0x09] + line + [0x0A]
            }
        }
        try await check(lines)
    }

    /// Checks lines against their schemas.
    ///
    /// - Parameter lines: Lines of the name of a schema, a tab, and JSON.
    private func check(_ lines: [UInt8]) async throws {
        let python = try #require(PythonEnvironment.interpreter)
        let checked = try await CommandRunner(executable: python).run(
            ["-c", SchemaTests.script, ProtocolVector.protocolFolder.appending(path: "schema").path], input: lines)
        #expect(checked.status == 0, "\(checked.errorText)")
        #expect(checked.outputText == "")
    }

    private func addQueries(to database: String) async throws {
        let journal = try await SQLiteJournal.open(path: database)
        var flush = FlushBatch()
        flush.queries = [
            QueryRecord(number: 1, library: 0, type: 0, method: "m", input: "[1]", storedAt: 0, elements: []),
            QueryRecord(
                number: 2, library: 0, type: 0, method: "m", input: "{}", tags: #"["a"]"#, membership: "{}",
                isLocal: true, timeToLive: 1_005, asOf: EventSequence(3), storedAt: 1_769_076_334_149, staleSince: 1,
                elements: [QueryElement(id: .text("x")), QueryElement(id: .uuid(UUIDValue(high: 1, low: 2)))]),
        ]
        let key = StoredKey(library: 0, type: 0, id: .text("x"))
        flush.layers = [
            LayerRecord(
                number: 1, pendingID: "p", library: 0, isConfirmed: true, dependsOn: ["q"], createdAt: 0,
                changes: [
                    .put(key, resource: Array(#"{"id":"x"}"#.utf8)), .patch(key, fields: [], unset: ["a"]),
                    .patch(key, fields: Array(#"{"a":null}"#.utf8), unset: []), .removeField(key, ""), .delete(key),
                ])
        ]
        try await journal.commit(flush)
        try await journal.close()
    }
}
