import Foundation
import TestTraits
import Testing

/// The table of promises in docs/testing.md: every promise has a test, and every test exists.
@Suite(.pooled) struct PromiseTests {
    private struct Promise {
        var name: String
        /// Suites, or tests by name.
        var tests: [String]
    }

    private func promises() throws -> [Promise] {
        try Tree.text("docs/testing.md").split(separator: "\n").compactMap { line in
            guard let match = line.wholeMatch(of: /\| ([LP][0-9]+) \|[^|]+\|([^|]+)\|/) else { return nil }
            return Promise(
                name: String(match.1), tests: match.2.matches(of: /`([^`]+)`/).map { String($0.1) })
        }
    }

    @Test func `every promise has tests, and all of them exist`() throws {
        let names = try Tree.testNames().all
        let promises = try promises()
        #expect(promises.count >= 24)
        #expect(Set(promises.map(\.name)).count == promises.count)
        for promise in promises {
            #expect(!promise.tests.isEmpty, "\(promise.name) has no test")
            for test in promise.tests {
                // The comparison is not in the expectation, because its message would have all names.
                let isThere = names.contains(test)
                #expect(isThere, "\(promise.name) names \(test), which is not there")
            }
        }
    }

    @Test func `every law is promised, and the threat model promises nothing else`() throws {
        let names = Set(try promises().map(\.name))
        for law in 1...11 { #expect(names.contains("L\(law)")) }
        let threats = try Tree.text("docs/threat-model.md")
        let named = Set(threats.matches(of: /\b(P[0-9]+)\b/).map { String($0.1) })
        #expect(named == names.filter { $0.hasPrefix("P") })
        // Every paragraph that promises something names its row.
        for paragraph in threats.components(separatedBy: "\n\n") where paragraph.hasPrefix("Promised:") {
            #expect(paragraph.contains(/\(P[0-9]+\)/), "no row is named: \(paragraph)")
        }
    }
}
