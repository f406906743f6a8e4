import Foundation
import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTestKit

@Suite(.pooled) struct ProtocolPagesTests {
    private static let states = ["cold", "live", "gap", "reconciling", "stale"]

    private func cells() throws -> [String] {
        let page = ProtocolVector.protocolFolder.appending(path: "sequencing.md")
        return try String(contentsOf: page, encoding: .utf8).split(separator: "\n").compactMap { line in
            let parts = line.split(separator: "`", omittingEmptySubsequences: false)
            guard line.hasPrefix("| `"), parts.count > 1, parts[1].contains("/") else { return nil }
            return String(parts[1])
        }
    }

    @Test func `the table has a cell for every state and every input`() throws {
        let cells = try cells()
        let inputs = cells.filter { $0.hasPrefix("cold/") }.map { $0.dropFirst("cold/".count) }
        #expect(inputs.count == 21)
        #expect(cells == Self.states.flatMap { state in inputs.map { "\(state)/\($0)" } })
    }

    @Test func `every cell that a vector cites is in the table`() throws {
        let cells = Set(try cells())
        for vector in try ProtocolVector.all() {
            let section = String(decoding: try #require(vector.json.member("section")?.text), as: UTF8.self)
            guard section.hasPrefix("sequencing/"), section != "sequencing/restart" else { continue }
            #expect(cells.contains(String(section.dropFirst("sequencing/".count))), "\(vector.name): \(section)")
        }
    }

    @Test func `the page of errors names every reason`() throws {
        let page = ProtocolVector.protocolFolder.appending(path: "errors.md")
        let words = try String(contentsOf: page, encoding: .utf8)
        for reason in ReferenceReason.allCases { #expect(words.contains("| `\(reason.rawValue)` |")) }
    }
}
