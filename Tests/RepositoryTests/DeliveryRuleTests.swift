import Foundation
import TestTraits
import Testing

/// The tables of docs/incremental-delivery.md: every rule has a test of the types and one of the command, and every
/// test exists.
@Suite(.pooled) struct DeliveryRuleTests {
    @Test func `every rule of incremental delivery has tests in Swift and by the command, and all of them exist`()
        throws
    {
        let names = try Tree.testNames().tests
        var ruleCount = 0
        for line in try Tree.text("docs/incremental-delivery.md").split(separator: "\n") where line.hasPrefix("| ") {
            guard !line.hasPrefix("| rule |") else { continue }
            let match = try #require(line.wholeMatch(of: /\| (.+) \| (`.+`) \| (`.+`) \|/), "\(line)")
            ruleCount += 1
            for name in (match.2 + match.3).matches(of: /`([^`]+)`/).map({ String($0.1) }) {
                let isThere =
                    names.contains(name)
                    || FileManager.default.fileExists(
                        atPath: Tree.url("Protocol/vectors/sessions/\(name).ndjson").path)
                #expect(isThere, "\(match.1) names \(name), which is not there")
            }
        }
        #expect(ruleCount >= 28, "\(ruleCount)")
    }
}
