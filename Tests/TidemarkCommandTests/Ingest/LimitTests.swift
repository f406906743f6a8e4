import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

#if canImport(Glibc)
    import Glibc
#endif

/// The limits of the command: accepted and refused options, and the effect of limits.
@Suite(.pooled, .tags(.process)) struct LimitTests {
    private func lines(_ ids: Range<Int>, text: String = "") -> [UInt8] {
        var bytes: [UInt8] = []
        for id in ids {
            let resource = #"{"id":"k\#(id)","n":\#(id),"t":"\#(text)\#(id &* 2_654_435_761)"}"#
            bytes += Array(EventLine.change(resource, library: "a", sequence: Int64(id + 1)).utf8)
            bytes.append(10)
        }
        return bytes
    }

    private func object(_ result: CommandResult) throws -> [String: Any] {
        let line = try #require(result.outputLines.last)
        return try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    }

    @Test(arguments: [
        (["--evict-ignore", ""], "evict-ignore"), (["--evict-ignore", ".name"], "evict-ignore"),
        (["--evict-ignore", "file."], "evict-ignore"), (["--memory-exclude", ""], "is empty: pass a type"),
        (["--disk-exclude", ""], "is empty: pass a type"), (["--max-queries", "0"], "--max-queries takes"),
        (["--max-entity-bytes", "0"], "--max-entity-bytes takes 1 to 16777216, not 0"),
        (["--disk-exclude", "file", "--memory-exclude", "file"], "file is excluded from memory and from disk"),
        (["--disk-limit-kb", "319"], "--disk-limit-kb takes 320 to"),
        (
            ["--memory-limit-kb", "100", "--disk-limit-kb", "4096", "--auto-evict-kb", "101"],
            "--auto-evict-kb 101 is more than --memory-limit-kb 100: pass at most 100"
        ),
        (
            ["--disk-limit-kb", "4096", "--auto-evict-kb", "4000"],
            "--auto-evict-kb 4000 leaves less of --disk-limit-kb 4096 than an empty database takes: pass at most 3936"
        ),
        (
            // More than a quarter of any machine.
            ["--auto-evict-kb", "549755813888"],
            "--auto-evict-kb 549755813888 is more than --memory-limit-kb, which is "
        ),
        (
            ["--disk-exclude", "entry", "--memory-exclude", "file", "--profile", "spacedrive"],
            "file is excluded from memory and from disk"
        ),
    ])
    func `options with no value or too large a value are refused`(options: [String], words: String) async throws {
        let folder = try TemporaryFolder()
        for command in ["ingest", "run"] {
            let result = try await CommandRunner().run([command, "--db", folder.path("a.db")] + options, input: [])
            #expect(result.status == 64)
            #expect(result.errorText.contains(words), "\(result.errorText)")
            #expect(!FileManager.default.fileExists(atPath: folder.path("a.db")))
        }
    }

    /// The first value is valid for the disk but above the default memory limit of any machine, which no option set.
    @Test(arguments: [
        ["--disk-limit-kb", "1000000000000", "--auto-evict-kb", "549755813888"],
        ["--memory-limit-kb", "100", "--auto-evict-kb", "100"],
    ])
    func `the bytes that an eviction frees are checked against the given limits`(options: [String]) async throws {
        let folder = try TemporaryFolder()
        let result = try await CommandRunner().run(
            ["ingest", "--db", folder.path("a.db")] + options, input: lines(0..<10))
        #expect(result.status == 0, "\(result.errorText)")
    }

    @Test func `the smallest disk limit is kept, and some entities stay`() async throws {
        let folder = try TemporaryFolder()
        let result = try await CommandRunner().run(
            ["ingest", "--db", folder.path("a.db"), "--disk-limit-kb", "320"], input: lines(0..<5_000))
        #expect(result.status == 0)
        let summary = try object(result)
        #expect(try #require(summary["entities"] as? Int) >= 100)
        #expect(try #require(summary["db_bytes"] as? Int) <= 288 * 1_024)
    }

    @Test func `fields that stay are distinguished from types with a dot in their name`() async throws {
        let folder = try TemporaryFolder()
        let input = Array(
            #"""
            {"ResourceChanged":{"resource_type":"a.b","resource":{"id":"1","n":1}}}
            {"ResourceChanged":{"resource_type":"file","resource":{"id":"1","n":1}}}
            {"ResourceChanged":{"resource_type":"tag","resource":{"id":"1","n":1,"m":2}}}

            """#.utf8)
        let result = try await CommandRunner().run(
            ["ingest", "--db", folder.path("a.db"), "--max-entities", "0", "--evict-ignore", "a.b.*"]
                + ["--evict-ignore", "tag.n"], input: input)
        #expect(result.status == 0)
        #expect(try object(result)["entities"] as? Int == 2)
        for (name, answer) in [
            ("a.b:1", #"{"entity":{"id":"1","n":1},"pending":false,"sequence":null,"stale":false,"miss":null}"#),
            ("file:1", #"{"entity":null,"pending":false,"sequence":null,"stale":false,"miss":"evicted"}"#),
            ("tag:1", #"{"entity":null,"pending":false,"sequence":null,"stale":false,"miss":"evicted"}"#),
            ("tag:2", #"{"entity":null,"pending":false,"sequence":null,"stale":false,"miss":"absent"}"#),
        ] {
            let got = try await CommandRunner().run(["get", "--db", folder.path("a.db"), name, "--json"])
            #expect(got.outputText == answer + "\n")
        }
        let listed = try await CommandRunner().run(["export", "--db", folder.path("a.db")])
        #expect(listed.outputLines.count == 1)
        #expect(try await CommandRunner().run(["verify", "--db", folder.path("a.db")]).status == 0)
    }

    @Test func `20,000 entities under a limit of 10,000 leave the newest 10,000`() async throws {
        let folder = try TemporaryFolder()
        let result = try await CommandRunner().run(
            ["ingest", "--db", folder.path("a.db"), "--max-entities", "10000"], input: lines(0..<20_000))
        #expect(result.status == 0)
        #expect(try object(result)["entities"] as? Int == 10_000)
        let exported = try await CommandRunner().run(["export", "--db", folder.path("a.db")])
        #expect(exported.outputLines.count == 10_000)
        for (id, word) in [(0, "evicted"), (9_000, "evicted"), (19_999, "19999"), (20_000, "absent")] {
            let got = try await CommandRunner().run(["get", "--db", folder.path("a.db"), "file:k\(id)", "--json"])
            #expect(got.outputText.contains(word), "\(id): \(got.outputText)")
        }
        #expect(try await CommandRunner().run(["verify", "--db", folder.path("a.db")]).status == 0)
    }

    @Test func `excluding a type from the disk removes its stored entities and keeps the cursor`() async throws {
        let folder = try TemporaryFolder()
        #expect(
            try await CommandRunner().run(["ingest", "--db", folder.path("a.db")], input: lines(0..<2_500)).status == 0)
        let result = try await CommandRunner().run(
            ["ingest", "--db", folder.path("a.db"), "--disk-exclude", "file"], input: lines(2_500..<2_600))
        let summary = try object(result)
        #expect(summary["entities"] as? Int == 100)
        let libraries = try #require(summary["libraries"] as? [String: [String: Any]])
        #expect(libraries["a"]?["sequence"] as? Int == 2_600)
        let exported = try await CommandRunner().run(["export", "--db", folder.path("a.db")])
        #expect(exported.outputText.isEmpty)
        #expect(try await CommandRunner().run(["verify", "--db", folder.path("a.db")]).status == 0)
    }

    /// Runs with `make test-limits`. The resources have random digits, so that they exceed the limits even when
    /// compressed.
    @Test(.enabled(if: TestScale.limits.isAsked, "make test-limits runs it"))
    func `a million entities under 100 MB of disk and 64 MB of memory`() async throws {
        let folder = try TemporaryFolder()
        var random = SeededGenerator(seed: 1)
        var input: [UInt8] = []
        for start in stride(from: 0, to: 1_000_000, by: 1) {
            let digits = (0..<12).map { _ in String(UInt64.random(in: .min ... .max, using: &random), radix: 16) }
            input += lines(start..<start + 1, text: digits.joined())
        }
        let start = ContinuousClock.now
        let result = try await CommandRunner().run(
            ["ingest", "--db", folder.path("a.db"), "--disk-limit-kb", "102400", "--memory-limit-kb", "65536"],
            input: input, deadline: .seconds(900))
        let seconds = ContinuousClock.now - start
        #expect(result.status == 0)
        let summary = try object(result)
        let count = try #require(summary["entities"] as? Int)
        let size = try #require(
            try FileManager.default.attributesOfItem(atPath: folder.path("a.db"))[.size] as? Int)
        #expect(size <= 102_400 * 1_024)
        #expect(count > 100_000 && count < 1_000_000)
        var usage = rusage()
        #expect(getrusage(__rusage_who_t(RUSAGE_CHILDREN.rawValue), &usage) == 0)
        print("limits: \(count) entities, \(size) bytes on disk, \(usage.ru_maxrss) KiB resident at most, \(seconds)")
        // The process needs, beside the 64 MB, as much again for pages of the database, twice the data of a flush, and
        // the evicted keys.
        #expect(usage.ru_maxrss <= 512 * 1_024)
        let verified = try await CommandRunner().run(
            ["verify", "--db", folder.path("a.db")], deadline: .seconds(900))
        #expect(verified.status == 0)
    }
}
