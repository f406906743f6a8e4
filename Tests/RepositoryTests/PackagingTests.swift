import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// Parts of the packages that need no release build. `make dist-check` installs and runs the complete packages.
@Suite(.pooled, .tags(.process)) struct PackagingTests {
    private static let hasPython = FileManager.default.isExecutableFile(atPath: "/usr/bin/python3")

    /// Returns the manual pages by name, made from the command that was built with the tests.
    private func pages() async throws -> [String: String] {
        let folder = try TemporaryFolder()
        defer { withExtendedLifetime(folder) {} }
        let help = try await CommandRunner().run(["--experimental-dump-help"])
        #expect(help.status == 0)
        let script = Tree.url("Packaging/manual.py").path
        let made = try await CommandRunner(executable: script)
            .run(["1.2.3", "2026-01-02", folder.path], input: help.output)
        #expect(made.status == 0, "\(made.errorText)")
        var pages: [String: String] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            pages[name] = String(decoding: try folder.read(name), as: UTF8.self)
        }
        return pages
    }

    @Test(.enabled(if: hasPython)) func `every command has a page that names its options and examples`() async throws {
        let pages = try await pages()
        #expect(pages["tidemark.1"]?.contains(".TH TIDEMARK 1 \"2026-01-02\" \"Tidemark 1.2.3\"") == true)
        for command in UsageNames.all {
            let page = try #require(pages["tidemark-\(command.replacing(" ", with: "-")).1"], "\(command) has no page")
            let text = page.replacing("\\-", with: "-").replacing("\\(aq", with: "'").replacing("\\&", with: "")
            let help = try await CommandRunner().run(command.split(separator: " ").map(String.init) + ["--help"])
            let options = Set(help.outputText.matches(of: /--[a-z][a-z-]+/).map { String($0.output) })
            for option in options.subtracting(["--help", "--version"]) {
                #expect(text.contains(option), "the page of \(command) does not name \(option)")
            }
            for example in help.outputLines where example.hasPrefix("  tidemark ") {
                // Long lines are wrapped in the help, but not on the page.
                #expect(text.contains(example.trimmingCharacters(in: .whitespaces)), "\(command): \(example)")
            }
            #expect(text.contains(".SH SEE ALSO") && text.contains(".SH NAME") && text.contains(".SH SYNOPSIS"))
        }
    }

    @Test func `the notes of a release are its section of the changelog, with links that hold elsewhere`() async throws
    {
        let script = Tree.url("Packaging/release").path
        let version = try await CommandRunner().run(["--version"]).outputLines.first ?? ""
        let notes = try await CommandRunner(executable: script).run(["--notes", version])
        #expect(notes.status == 0, "\(notes.errorText)")
        #expect(!notes.outputText.contains("\n## ") && !notes.outputText.contains("](../"))
        #expect(notes.outputText.contains("/blob/v\(version)/docs/why.md)"))
        #expect(try await CommandRunner(executable: script).run(["--notes", "99.0.0"]).status == 1)
        #expect(try await CommandRunner(executable: script).run(["--notes", "99"]).status == 64)
    }

    @Test(.enabled(if: hasPython)) func `no line of a page is read as a request to the formatter`() async throws {
        let requests: Set<String> = [".TH", ".SH", ".PP", ".TP", ".RS", ".RE", ".nf", ".fi", ".ad", ".BR"]
        for (name, text) in try await pages() {
            for line in text.split(separator: "\n") where line.hasPrefix(".") || line.hasPrefix("'") {
                let request = String(line.prefix { $0 != " " })
                #expect(requests.contains(request), "\(name): \(line)")
            }
            #expect(!text.contains("\n\n"), "\(name) has an empty line")
        }
    }

    @Test(arguments: ["bash", "zsh", "fish"])
    func `completions know every command`(shell: String) async throws {
        let script = try await CommandRunner().run(["--generate-completion-script", shell])
        #expect(script.status == 0)
        for command in UsageNames.all {
            for word in command.split(separator: " ") {
                #expect(script.outputText.contains(word), "\(shell) does not know \(command)")
            }
        }
    }

    @Test func `units start commands that exist, in a sandbox`() async throws {
        for name in ["tidemark-ingest@.service", "tidemark-run@.service"] {
            let unit = try Tree.text("Packaging/systemd/\(name)")
            let start = try #require(unit.firstMatch(of: #/ExecStart=/usr/bin/tidemark ([a-z]+) (--[a-z]+) /#))
            let help = try await CommandRunner().run([String(start.1), "--help"])
            #expect(help.status == 0 && help.outputText.contains(start.2), "\(name)")
            for wall in [
                "DynamicUser=yes", "NoNewPrivileges=yes", "ProtectSystem=strict", "ProtectHome=yes",
                "StateDirectory=tidemark",
                "PrivateNetwork=yes", "CapabilityBoundingSet=\n", "SystemCallFilter=@system-service",
            ] {
                #expect(unit.contains(wall), "\(name) does not say \(wall)")
            }
        }
    }
}

/// The commands, by the words that name them.
private enum UsageNames {
    static let all = [
        "ingest", "run", "serve", "get", "list", "facets", "stats", "verify", "doctor", "export", "queries", "pending",
        "pending list", "pending retry", "pending discard", "remove",
        "quarantine", "quarantine list", "quarantine show", "quarantine retry", "gaps", "policy", "policy check",
        "graphql",
        "graphql check", "graphql import-apollo",
        "generate", "replay", "bisect", "selftest", "simulate",
    ]
}
