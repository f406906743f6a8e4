import Foundation
import TestTraits
import Testing
import TidemarkStore
import TidemarkTestKit

/// The examples on the page of queries, as tests.
@Suite(.pooled) struct MembershipPageTests {
    /// Returns the rows of one section's tables with `cellCount` cells, without the quotes of code.
    private func rows(_ section: String, cellCount: Int) throws -> [[String]] {
        let page = try String(contentsOf: ProtocolVector.protocolFolder.appending(path: "queries.md"), encoding: .utf8)
        let parts = page.components(separatedBy: "\n### ")
        let lines = try #require(parts.first { $0.hasPrefix(section + "\n") }).split(separator: "\n")
        return lines.filter { $0.hasPrefix("| `") }.map { line in
            line.dropFirst(2).dropLast(2).components(separatedBy: " | ").map {
                $0.trimmingCharacters(in: CharacterSet(charactersIn: "`"))
            }
        }.filter { $0.count == cellCount }
    }

    @Test func `predicates hold as the page says`() throws {
        let rows = try rows("Where", cellCount: 3)
        #expect(rows.count == 11)
        for row in rows {
            let rule = try MembershipFixture(#"{"resource_type":"t","where":\#(row[1])}"#)
            #expect(rule.matches(row[0]) == row[2].hasPrefix("yes"), "\(row)")
            #expect(row[2].hasPrefix("yes") || row[2].hasPrefix("no"))
        }
    }

    @Test func `paths are in the scopes that the page says`() throws {
        let rows = try rows("Scope", cellCount: 4)
        #expect(rows.count == 9)
        for row in rows {
            let rule = try MembershipFixture(
                #"{"resource_type":"t","scope":{"path":\#(row[0]),"recursive":\#(row[2])}}"#)
            #expect(rule.matches(#"{"sd_path":\#(row[1])}"#) == (row[3] == "yes"), "\(row)")
        }
    }
}
