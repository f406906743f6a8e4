import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

@Suite(.pooled, .tags(.process)) struct UsageTests {
    static let commands = [
        ["ingest"], ["get"], ["list"], ["stats"], ["verify"], ["doctor"], ["replay"],
        ["bisect"], ["export"],
        ["quarantine", "list"],
        ["quarantine", "show"],
        ["quarantine", "retry"], ["gaps"], ["queries"], ["policy", "check"], ["graphql", "check"], ["remove"],
        ["generate"],
    ]

    @Test(arguments: commands)
    func `every command has help with an example`(command: [String]) async throws {
        let result = try await CommandRunner().run(command + ["--help"])
        #expect(result.status == 0)
        #expect(result.errorText == "")
        #expect(result.outputText.contains("EXAMPLE\n  tidemark \(command.joined(separator: " ")) "))
    }

    @Test func `the version is printed alone`() async throws {
        let result = try await CommandRunner().run(["--version"])
        #expect(result.status == 0)
        #expect(result.outputText == "0.2.0\n")
    }

    @Test func `without arguments the help is printed`() async throws {
        let result = try await CommandRunner().run([])
        #expect(result.status == 0)
        #expect(result.outputText.contains("SUBCOMMANDS:"))
    }

    @Test(arguments: [
        ["bogus"], ["get"], ["get", "--db", "x"], ["get", "--db", "x", "noColon"], ["get", "--db", "", "a:b"],
        ["list", "--db", "x", "--limit", "0"], ["ingest"], ["ingest", "--db", "x", "--upstream", "ftp://x"],
        ["ingest", "--db", "x", "--profile", "other"], ["generate", "--ids", "0"], ["generate", "--gap-rate", "2"],
        ["remove", "--db", "x"], ["remove", "--db", "x", "--matching", ""],
        ["remove", "--db", "x", "a:b", "--cascade"],
        ["remove", "--db", "x", "a:b", "--type", "c"],
        ["quarantine", "retry", "--db", "x"], ["quarantine", "retry", "--db", "x", "--all", "3"],
        ["quarantine", "list", "--db", "x", "--reason", "unlucky"],
    ])
    func `a command line that makes no sense ends with 64 and one line`(arguments: [String]) async throws {
        let result = try await CommandRunner().run(arguments)
        #expect(result.status == 64)
        #expect(result.outputText == "")
        #expect(result.errorText.hasPrefix("tidemark: usage: "))
        #expect(result.errorText.hasSuffix("; see tidemark help, or --help after a command\n"))
        #expect(result.errorText.split(separator: "\n").count == 1)
    }

    @Test(arguments: [
        (["list", "--db", "x", "--limit", "-1"], "--limit takes 1 to 100000, not -1; "),
        (["list", "--db", "x", "--limit", "0"], "--limit takes 1 to 100000, not 0; "),
        (["replay", "x", "--to-sequence", "-5"], "--to-sequence takes 0 or more, not -5; "),
        (
            ["run", "--db", "x", "--fetch-timeout", "-0.5"],
            "--fetch-timeout takes more than 0 and at most 86400 seconds, not -0.5; "
        ),
        (["list", "--db", "x", "--type", "f", "--order", "/n:DESC"], "--order /n:DESC ends without a direction: "),
    ])
    func `a wrong value is named, and the sentence ends once`(arguments: [String], words: String) async throws {
        let result = try await CommandRunner().run(arguments)
        #expect(result.status == 64)
        #expect(result.errorText.hasPrefix("tidemark: usage: \(words)"), "\(result.errorText)")
        #expect(!result.errorText.contains(".;"))
    }

    @Test(arguments: [
        ["get", "file:1"], ["list"], ["stats"], ["verify"], ["export"], ["gaps"], ["quarantine", "list"],
        ["quarantine", "show", "1"], ["remove", "file:1"],
    ])
    func `a database that is not there ends with 66 and is not made`(command: [String]) async throws {
        let folder = try TemporaryFolder()
        let result = try await CommandRunner().run(command + ["--db", folder.path("none.db")])
        #expect(result.status == 66)
        #expect(result.outputText == "")
        #expect(result.errorText.hasPrefix("tidemark: not_found: "))
        #expect(throws: (any Error).self) { try folder.read("none.db") }
    }

    @Test func `an upstream log that is not there ends with 69 before anything is read`() async throws {
        let folder = try TemporaryFolder()
        let result = try await CommandRunner().run(
            ["ingest", "--db", folder.path("a.db"), "--upstream", "file:" + folder.path("none")])
        #expect(result.status == 69)
        #expect(throws: (any Error).self) { try folder.read("a.db") }
    }

    @Test func `input from outside is printed without escape sequences`() async throws {
        let result = try await CommandRunner().run(["get", "--db", "none\u{1B}[31m\u{9B}x", "a:b"])
        #expect(result.status == 66)
        #expect(!result.errorText.unicodeScalars.contains { $0 == "\u{1B}" || $0 == "\u{9B}" })
    }
}
