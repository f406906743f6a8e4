import Foundation
import TestTraits
import Testing
import TidemarkTestKit

/// The hosts in `docs/examples`, against the built command, where their languages are installed.
@Suite(.pooled, .tags(.process)) struct ExampleHostTests {
    @Test(.enabled(if: find("python3") != nil, "python3 is not installed"))
    func `the example host in Python follows a list through a gap, a fetch and an edit`() async throws {
        try await check("python3", "host.py")
    }

    @Test(.enabled(if: find("node") != nil, "Node is not installed"))
    func `the example host in JavaScript follows a list through a gap, a fetch and an edit`() async throws {
        try await check("node", "host.mjs")
    }

    @Test(.enabled(if: find("python3") != nil, "python3 is not installed"))
    func `the worked example of HTTP fetches, renews, hears of an event and goes on without the server`() async throws {
        let executable = try #require(ExampleHostTests.find("python3"))
        let folder = ProtocolVector.protocolFolder.deletingLastPathComponent()
        let result = try await CommandRunner(executable: executable).run([
            folder.appending(path: "docs/examples/http-answers.py").path, try CommandRunner().executable,
        ])
        #expect(result.status == 0, "\(result.errorText)")
        let lines = result.outputText.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.hasSuffix(":") }
        #expect(
            lines == [
                "server: 200", "200: tidemark; fwd=uri-miss; stored", "server: 304",
                "200: tidemark; fwd=stale; fwd-status=304", "Harbour at night", "server: 304",
                "200: tidemark; fwd=stale; fwd-status=304", "Harbour at night",
                "200: tidemark; fwd=stale; detail=offline", "from the cache: True",
            ])
    }

    @Test(.enabled(if: find("python3") != nil, "python3 is not installed"))
    func `the worked example of GraphQL hears of an event, mutates and waits for a fragment`() async throws {
        let executable = try #require(ExampleHostTests.find("python3"))
        let folder = ProtocolVector.protocolFolder.deletingLastPathComponent()
        let result = try await CommandRunner(executable: executable).run([
            folder.appending(path: "docs/examples/graphql-and-events.py").path, try CommandRunner().executable,
        ])
        #expect(result.status == 0, "\(result.errorText)")
        let lines = result.outputText.split(separator: "\n").map(String.init)
        for line in [
            #"  cache: {"hero": {"id": "2001", "name": "R2-D2"}}"#,
            #"  patch: [{"op": "replace", "path": "/hero/name", "value": "R2-D2, from an event"}]"#,
            #"  patch: [{"op": "replace", "path": "/hero/name", "value": "Artoo"}]"#,
            #"  partial: {"hero": {"id": "2001"}}, pending"#,
            #"  patch: [{"op": "add", "path": "/hero/friends", "value": [{"id": "1000", "name": "Luke"}, {"id": "1003", "name": "Leia"}]}]"#,
            #"  complete: {"hero": {"id": "2001", "friends": [{"id": "1000", "name": "Luke"}, {"id": "1003", "name": "Leia"}]}}, fulfilled"#,
        ] {
            #expect(lines.contains(line), "\(lines)")
        }
        #expect(lines.count { $0.contains("server:") } == 3)
    }

    @Test(.enabled(if: find("python3") != nil, "python3 is not installed"))
    func `the worked example of scopes shows each person what they may see, until it ends`() async throws {
        let executable = try #require(ExampleHostTests.find("python3"))
        let folder = ProtocolVector.protocolFolder.deletingLastPathComponent()
        let result = try await CommandRunner(executable: executable).run([
            folder.appending(path: "docs/examples/scopes.py").path, try CommandRunner().executable,
        ])
        #expect(result.status == 0, "\(result.errorText)")
        let lines = result.outputText.split(separator: "\n").map { $0.drop { $0 == " " } }.filter { !$0.hasSuffix(":") }
        #expect(
            lines == [
                #"ann, trip: album {"id": "trip", "title": "Our trip"}"#,
                #"ann, trip: photo {"id": "p1", "album": "trip", "title": "Harbour"}"#,
                #"ann, diary: album {"id": "diary", "title": "Diary"}"#,
                #"ann, diary: photo {"id": "p2", "album": "diary", "title": "Letter"}"#,
                #"ben, trip: album {"id": "trip", "title": "Our trip"}"#,
                #"ben, trip: photo {"id": "p1", "album": "trip", "title": "Harbour"}"#, "ben, diary: 403",
                #"ann, diary: photo {"id": "p3", "album": "diary", "title": "Receipt"}"#,
                #"ann, trip: photo {"id": "p4", "album": "trip", "title": "Dunes"}"#,
                #"ben, trip: photo {"id": "p4", "album": "trip", "title": "Dunes"}"#,
                "ben, trip: album trip leaves the scope", "ben, trip: photo p1 leaves the scope",
                "ben, trip: photo p4 leaves the scope", "ben, trip: the stream ends: forbidden", "ben, trip: 403",
                #"ann, trip: photo {"id": "p1", "album": "trip", "title": "Harbour at night"}"#,
                #"ann, trip: photo {"id": "p5", "album": "trip", "title": "Ferry"}"#, "ann, trip: photo p4 is deleted",
            ])
    }

    @Test(
        .enabled(if: find("python3") != nil && find("curl") != nil && find("openssl") != nil, "a tool is not installed")
    )
    func `the first programs of the doors run as they stand on their page`() async throws {
        let output = try await runDoors(["Child process", "HTTP", "Scopes"])
        #expect(output.count == 3, "\(output)")
        #expect(output["Child process"] == ["5"])
        let served = try #require(output["HTTP"]).joined()
        #expect(served.contains(#""applied":1"#) && served.contains(#""entity":{"id":"1","stars":5}"#), "\(served)")
        let scoped = try #require(output["Scopes"]).joined()
        #expect(scoped.contains(#""id":"ann""#) && !scoped.contains("ben"), "\(scoped)")
    }

    @Test(.enabled(if: natsServer != nil && find("python3") != nil, "nats-server or python3 is not installed"))
    func `the first program of JetStream reads a stream to its end`() async throws {
        let output = try await runDoors(["JetStream"])
        #expect(output["JetStream"]?.joined().contains(#""stars":5"#) == true, "\(output)")
    }

    @Test(
        .enabled(
            if: ["python3", "curl", "openssl", "sqlite3", "timeout"].allSatisfy { find($0) != nil },
            "a tool is not installed"))
    func `the commands of the pages run as they stand there, or a reason is named`() async throws {
        let executable = try #require(ExampleHostTests.find("python3"))
        let folder = ProtocolVector.protocolFolder.deletingLastPathComponent()
        let result = try await CommandRunner(executable: executable).run(
            [folder.appending(path: "docs/examples/blocks.py").path, try CommandRunner().executable],
            deadline: .seconds(1_800))
        #expect(result.status == 0, "\(result.errorText)")
        #expect(result.outputText.hasSuffix(" blocks with commands, 0 faults\n"), "\(result.outputText)")
    }

    /// Runs programs of docs/doors.md; returns the lines that each printed, by its heading.
    private func runDoors(_ headings: [String]) async throws -> [String: [String]] {
        let executable = try #require(ExampleHostTests.find("python3"))
        let folder = ProtocolVector.protocolFolder.deletingLastPathComponent()
        let result = try await CommandRunner(executable: executable).run(
            [folder.appending(path: "docs/examples/doors.py").path, try CommandRunner().executable] + headings)
        #expect(result.status == 0, "\(result.errorText)")
        var output: [String: [String]] = [:]
        var heading = ""
        for line in result.outputLines {
            if line.hasPrefix("# ") {
                heading = String(line.dropFirst(2))
                output[heading] = []
            } else {
                output[heading, default: []].append(line)
            }
        }
        return output
    }

    @Test(.enabled(if: natsServer != nil, "nats-server is not installed; make deps installs it"))
    func `the worked example of JetStream ends with equal caches`() async throws {
        let executable = try #require(ExampleHostTests.find("bash"))
        let folder = ProtocolVector.protocolFolder.deletingLastPathComponent()
        let result = try await CommandRunner(executable: executable).run([
            folder.appending(path: "docs/examples/jetstream.sh").path, try CommandRunner().executable,
        ])
        #expect(result.status == 0, "\(result.errorText)")
        let digests = result.outputLines.suffix(2).map { $0.split(separator: " ").last }
        #expect(digests.count == 2 && digests[0] == digests[1])
    }

    private static let natsServer = ["/usr/sbin", "/usr/bin", "/usr/local/bin"].map { "\($0)/nats-server" }
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    private func check(_ interpreter: String, _ script: String) async throws {
        let executable = try #require(ExampleHostTests.find(interpreter))
        let path = ProtocolVector.protocolFolder.deletingLastPathComponent().appending(path: "docs/examples/\(script)")
        let result = try await CommandRunner(executable: executable).run([path.path, try CommandRunner().executable])
        #expect(result.status == 0, "\(result.errorText)")
        let lines = result.outputText.split(separator: "\n").map(String.init)
        #expect(lines.suffix(2) == ["cursor: 3 state: live", "best: Harbour 6, Dunes 5"])
        #expect(lines.count { $0.hasPrefix("changed:") } == 4, "\(lines)")
    }

    /// Returns the path of a program in the environment's PATH; nil when there is none.
    private static func find(_ name: String) -> String? {
        let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
        return folders.map { "\($0)/\(name)" }.first { FileManager.default.isExecutableFile(atPath: $0) }
    }
}
