import Foundation
import Testing
import TidemarkModel
import TidemarkTestKit
import TidemarkTesting

/// A server of a test, a data file, and the commands that join them.
struct StreamFixture {
    private let folder: TemporaryFolder
    let server: NatsServer

    init() throws {
        folder = try TemporaryFolder()
        server = try NatsServer()
    }

    var database: String { folder.path("cache.db") }

    func change(_ id: String, _ value: Int) -> String {
        EventLine.change(#"{"id":"\#(id)","n":\#(value)}"#)
    }

    func ingest(_ options: String = "", _ arguments: [String] = []) async throws -> [String: Any] {
        let result = try await CommandRunner().run(
            ["ingest", "--db", database, "--from", server.address("EVENTS", options), "--until-caught-up"] + arguments)
        #expect(result.status == 0, "\(result.errorText)")
        return try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
    }

    func libraries(_ summary: [String: Any]) -> [String: String] {
        let libraries = summary["libraries"] as? [String: [String: Any]] ?? [:]
        return libraries.mapValues { "\($0["state"] ?? "") \($0["sequence"] ?? "") \(lost($0["lost"]))" }
    }

    private func lost(_ value: Any?) -> String {
        ((value as? [[Int]]) ?? []).map { "\($0.first ?? 0)-\($0.last ?? 0)" }.joined(separator: ",")
    }

    func count(_ summary: [String: Any], _ name: String) -> Int {
        (summary["events"] as? [String: Int])?[name] ?? (summary[name] as? Int) ?? -1
    }

    /// The libraries of which `gaps` says that more may be missing than anybody can know.
    func unknowable() async throws -> [String] {
        let result = try await CommandRunner().run(["gaps", "--db", database, "--json"])
        let answer = try #require(try JSONSerialization.jsonObject(with: Data(result.output)) as? [String: Any])
        let libraries = answer["libraries"] as? [String: [String: Any]] ?? [:]
        #expect(libraries.values.allSatisfy { $0["unknowable"] as? Bool != false }, "\(result.outputText)")
        return libraries.keys.filter { libraries[$0]?["unknowable"] as? Bool == true }.sorted()
    }

    func export() async throws -> [String] {
        let result = try await CommandRunner().run(["export", "--db", database])
        return result.outputText.split(separator: "\n").map(String.init)
    }
}
