import Foundation
import TestTraits
import Testing
import TidemarkTestKit

/// The files in Tests/Rules: every rule has a test, every test exists, and the pages are those of the files.
@Suite(.pooled, .tags(.process)) struct RuleTests {
    @Test(arguments: [("graphql", 70), ("http", 55), ("delivery", 28), ("views", 180)])
    func `every rule of a file has tests, and all of them exist`(_ file: String, _ leastCount: Int) throws {
        let names = try Tree.testNames().all
        var counts: [Int] = []
        for line in try Tree.text("Tests/Rules/\(file).rules").split(separator: "\n", omittingEmptySubsequences: false)
        {
            guard line.hasPrefix("    ") else {
                // The line of a rule begins a count, which the lines of its tests raise.
                counts.append(0)
                continue
            }
            let name = String(line.dropFirst(4)).replacing(#/^(swift|command): /#, with: "")
            counts[counts.count - 1] += 1
            let transcript = Tree.url("Protocol/vectors/sessions/\(name).ndjson").path
            #expect(
                names.contains(name) || name.hasPrefix("make ") || FileManager.default.fileExists(atPath: transcript),
                "\(file).rules names \(name), which is not there")
        }
        #expect(counts.count { $0 > 0 } >= leastCount)
    }

    @Test func `the pages of rules are those that their files make`() async throws {
        let script = Tree.url("Tests/Rules/generate.py").path
        let result = try await CommandRunner(executable: "/usr/bin/env").run(["python3", script, "--check"])
        #expect(result.status == 0, "\(result.errorText)")
    }
}
