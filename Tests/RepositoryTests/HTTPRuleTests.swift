import Foundation
import Testing

/// The tables of docs/http-answers.md: every rule has a test, and every test exists.
@Suite struct HTTPRuleTests {
    @Test func `every rule of HTTP answers has tests, and all of them exist`() throws {
        let sources = try Tree.swiftFiles(in: "Tests").map { try Tree.text($0) }.joined(separator: "\n")
        let page = try #require(try Tree.text("docs/http-answers.md").components(separatedBy: "\n## Not covered").first)
        var ruleCount = 0
        for line in page.split(separator: "\n") {
            guard let match = line.wholeMatch(of: /\| (.+) \| (`.+`) \|/) else { continue }
            ruleCount += 1
            for name in match.2.matches(of: /`([^`]+)`/).map({ String($0.1) }) where !name.hasPrefix("make ") {
                let isThere =
                    sources.contains("struct \(name) ") || sources.contains("func `\(name)`")
                    || FileManager.default.fileExists(
                        atPath: Tree.url("Protocol/vectors/sessions/\(name).ndjson").path)
                #expect(isThere, "\(match.1) names \(name), which is not there")
            }
        }
        #expect(ruleCount >= 55, "\(ruleCount)")
    }
}
