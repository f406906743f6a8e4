import Foundation
import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

/// The harness of `Benchmarks/` as a child process: it measures, saves, compares and prints. No test checks a speed.
@Suite(.pooled, .tags(.process)) struct BenchmarkTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: [String]) async throws -> CommandResult {
        try await CommandRunner(named: "tidemark-bench").run(arguments, deadline: .seconds(300))
    }

    private func figures(_ path: String) throws -> [ReferenceJSON] {
        let results = try ReferenceJSONParser.parse(try folder.read(path).dropLast())
        return try #require(results.member("figures")?.elements)
    }

    private func text(_ value: ReferenceJSON?) -> String { String(decoding: value?.written ?? [], as: UTF8.self) }

    @Test(
        arguments: [
            "framing", "decoding", "apply", "index", "observers", "layers", "outbox", "puts", "ages", "eviction",
            "journal",
            "end-to-end",
            "cold-start", "reads", "scaling", "sessions", "serve", "scopes", "graphql", "delivery", "http", "portable",
            "encryption",
        ] + (JetStreamServer.isInstalled ? ["jetstream"] : [])
            // The suite reads what Linux tells about a process.
            + (FileManager.default.fileExists(atPath: "/proc/self/io") ? ["past-memory"] : []))
    func `every suite measures small inputs and writes its results`(suite: String) async throws {
        let result = try await run(
            ["--smoke", "--runs", "1", "--suite", suite, "--out", folder.path("results.json"), "--json"])
        #expect(result.status == 0, "\(result.errorText)")
        let figures = try figures("results.json")
        #expect(figures.count > 0)
        #expect(result.outputLines.count == figures.count)
        for figure in figures {
            #expect(text(figure.member("suite")) == "\"\(suite)\"")
            let value = try #require(Double(text(figure.member("value")?.member("median"))))
            #expect(value.isFinite && value >= 0, "\(text(figure.member("name")))")
        }
        guard suite == "past-memory" else { return }
        _ = try folder.write(Array("<!-- results -->\n<!-- /results -->\n".utf8), to: "benchmarks.md")
        #expect(try await run(["page", folder.path("results.json"), "--into", folder.path]).status == 0)
        #expect(String(decoding: try folder.read("load.svg"), as: UTF8.self).contains("<polyline points="))
    }

    @Test func `two runs compute the same results`() async throws {
        for name in ["a.json", "b.json"] {
            let suites = ["--suite", "decoding", "--suite", "apply", "--suite", "end-to-end"]
            let result = try await run(["--smoke", "--runs", "1", "--out", folder.path(name)] + suites)
            #expect(result.status == 0, "\(result.errorText)")
        }
        let hashes = try ["a.json", "b.json"].map { try figures($0).map { text($0.member("hash")) } }
        #expect(hashes[0] == hashes[1])
        let comparison = try await run(["compare", folder.path("a.json"), folder.path("b.json"), "--slack", "1000"])
        #expect(comparison.status == 0, "\(comparison.outputText)")
        let strict = try await run(["compare", folder.path("a.json"), folder.path("b.json"), "--slack", "0.000001"])
        #expect(strict.status == 1)
        #expect(strict.outputText.contains("WORSE"))
        let page = try folder.write(
            Array("before\n<!-- results -->\nold\n<!-- /results -->\nafter\n".utf8), to: "benchmarks.md")
        #expect(try await run(["page", folder.path("a.json"), "--into", folder.path]).status == 0)
        let written = String(decoding: try folder.read("benchmarks.md"), as: UTF8.self)
        #expect(written.hasPrefix("before\n<!-- results -->\n"), "\(page)")
        #expect(written.hasSuffix("<!-- /results -->\nafter\n"))
        #expect(written.contains("| validated parse |"))
        #expect(!written.contains("old\n"))
        #expect(try folder.read("benchmarks.svg").starts(with: Array("<svg ".utf8)))
    }

    @Test func `a threshold that is passed fails the guard, and so does one that nothing measures`() async throws {
        for (limits, status) in [
            (#"{"apply: overhead an entity":{"ratio":100000}}"#, 0),
            (#"{"apply: overhead an entity":{"ratio":1}}"#, 1),
            (#"{"apply: no such figure":{"ratio":1}}"#, 1),
        ] as [(String, Int32)] {
            let path = try folder.write(Array(#"{"figures":\#(limits),"instructions":{}}"#.utf8), to: "thresholds.json")
            let result = try await run(["guard", "--runs", "1", "--thresholds", path])
            #expect(result.status == status, "\(result.outputText)")
        }
    }

    @Test func `every counted work does something, and the same in each round`() async throws {
        for work in [
            "decoding", "state", "lists", "layers", "views", "reads", "disk", "walk", "durable", "documents",
            "responses",
        ] {
            let result = try await run(["count", work, "--rounds", "3"])
            // The first round may find everything new.
            let lines = result.outputText.split(separator: "\n").dropFirst()
            #expect(lines.count == 2 && lines.first == lines.last, "\(work): \(result.outputText)\(result.errorText)")
            #expect(lines.first != "\(work): 0")
        }
    }

    @Test func `an input that cannot be read is reported`() async throws {
        let none = try await run(["compare", folder.path("none.json")])
        #expect(none.status == 1)
        #expect(none.errorText.contains("there is no file"))
        #expect(try await run(["--suite", "nothing"]).status == 64)
        #expect(try await run(["--runs", "0"]).status == 64)
    }
}

/// The NATS server, without which the suite of streams measures nothing.
private enum JetStreamServer {
    static let isInstalled = ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"]
        .contains { FileManager.default.isExecutableFile(atPath: $0) }
}
