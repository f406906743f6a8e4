import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@Suite(.pooled, .tags(.process)) struct GenerateTests {
    private let arguments = [
        "generate", "--ids", "200", "--updates", "3", "--gap-rate", "2%", "--duplicate-rate", "0.02", "--seed", "9",
    ]

    @Test func `the same options print the same bytes`() async throws {
        let first = try await CommandRunner().run(arguments)
        let second = try await CommandRunner().run(arguments)
        #expect(first.status == 0)
        #expect(first.errorText == "")
        #expect(!first.output.isEmpty)
        #expect(first == second)
    }

    @Test func `files get the same bytes as standard output, and the log beside them is complete`() async throws {
        let folder = try TemporaryFolder()
        let printed = try await CommandRunner().run(arguments)
        let filed = try await CommandRunner().run(
            arguments + ["--output", folder.path("s"), "--log-output", folder.path("l"), "--json"])
        #expect(filed.status == 0)
        #expect(filed.outputLines.count == 1)
        #expect(filed.outputText.hasPrefix("{\"lines\":\(printed.outputLines.count),"))
        #expect(try folder.read("s") == printed.output)
        let log = String(decoding: try folder.read("l"), as: UTF8.self).split(separator: "\n")
        #expect(log.count == 800)
        for (index, line) in log.enumerated() { #expect(line.contains("\"sequence\":\(index + 1),")) }
    }

    @Test func `a folder that is not there ends with 73`() async throws {
        let result = try await CommandRunner().run(["generate", "--output", "/nowhere/at/all"])
        #expect(result.status == 73)
        #expect(result.errorText.hasPrefix("tidemark: cannot_create: "))
    }

    @Test func `a reader that goes away early is no error`() async throws {
        let command = try CommandRunner().executable
        let result = try await CommandRunner(executable: "/bin/sh").run([
            "-c", "{ '\(command)' generate --ids 50000; echo $? >&2; } | head -n 1",
        ])
        #expect(result.outputLines.count == 1)
        #expect(result.errorText == "0\n")
    }
}
