import Foundation
import Testing

/// The tables of docs/http-answers.md and docs/graphql-rules.md: every rule has a test, and every test exists.
@Suite struct HTTPRuleTests {
    @Test(arguments: [("docs/http-answers.md", 55), ("docs/graphql-rules.md", 70)])
    func `every rule of a page has tests, and all of them exist`(_ name: String, _ leastCount: Int) throws {
        let names = try testNames()
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

    /// Returns the names of all suites and tests.
    private func testNames() throws -> Set<String> {
        var names: Set<String> = []
        for file in try Tree.swiftFiles(in: "Tests") {
            for line in try Tree.text(file).utf8.split(separator: UInt8(ascii: "\n")) {
                if let function = line.firstRange(of: Array("func `".utf8)) {
                    let name = line[function.upperBound...].prefix { $0 != UInt8(ascii: "`") }
                    names.insert(String(decoding: name, as: UTF8.self))
                } else if let suite = line.firstRange(of: Array("struct ".utf8)) {
                    let name = line[suite.upperBound...].prefix { $0 != UInt8(ascii: " ") }
                    names.insert(String(decoding: name, as: UTF8.self))
                }
            }
        }
        return names
    }
}
