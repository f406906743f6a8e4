import Foundation
import TestTraits
import Testing

/// The tables of docs/http-answers.md and docs/graphql-rules.md: every rule has a test, and every test exists.
@Suite(.pooled) struct HTTPRuleTests {
    @Test(arguments: [("docs/http-answers.md", 55), ("docs/graphql-rules.md", 70)])
    func `every rule of a page has tests, and all of them exist`(_ name: String, _ leastCount: Int) throws {
        let names = try Tree.testNames().all
        let page = try #require(try Tree.text(name).components(separatedBy: "\n## Not covered").first)
        var ruleCount = 0
        for line in page.split(separator: "\n") {
            guard let match = line.wholeMatch(of: /\| (.+) \| (`.+`) \|/) else { continue }
            ruleCount += 1
            for name in match.2.matches(of: /`([^`]+)`/).map({ String($0.1) }) where !name.hasPrefix("make ") {
                let isThere =
                    names.contains(name)
                    || FileManager.default.fileExists(
                        atPath: Tree.url("Protocol/vectors/sessions/\(name).ndjson").path)
                #expect(isThere, "\(match.1) names \(name), which is not there")
            }
        }
        #expect(ruleCount >= leastCount, "\(ruleCount)")
    }
}
