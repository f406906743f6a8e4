import Foundation
import TestTraits
import Testing

/// The tables of Protocol/errors.md against the codes in the sources: every code is listed, and every listed code
/// exists.
@Suite(.pooled) struct ErrorPageTests {
    private struct Row {
        var code: String
        var statuses: Set<String>
    }

    /// Returns the text between two headings of the page.
    private func section(_ title: String) throws -> String {
        let parts = try Tree.text("Protocol/errors.md").components(separatedBy: "\n## ")
        return try #require(parts.first { $0.hasPrefix(title) })
    }

    private func rows() throws -> [Row] {
        try section("The error line").split(separator: "\n").compactMap { line in
            guard let match = line.wholeMatch(of: /\| `([a-z_]+)` \| ([0-9, –]+) \|.*/) else { return nil }
            return Row(code: String(match.1), statuses: Set(match.2.components(separatedBy: ", ")))
        }
    }

    /// Returns the cases of an enum by name, with their raw values.
    private func cases(_ path: String) throws -> [String: String] {
        var cases: [String: String] = [:]
        for line in try Tree.text(path).split(separator: "\n") {
            guard let match = line.wholeMatch(of: /\s*case `?(\w+)`?(?: = "?(\w+)"?)?/) else { continue }
            cases[String(match.1)] = String(match.2 ?? match.1)
        }
        return cases
    }

    /// Returns the codes that commands write, with the names of their exit statuses; "" for a notice.
    private func written() throws -> [(code: String, status: String)] {
        var found: [(String, String)] = [("usage", "usage")]
        for path in try Tree.swiftFiles(in: "Sources/TidemarkCommand") {
            let text = try Tree.text(path)
            for match in text.matches(of: /Failure\(\s*\.`?(\w+)`?,\s*"([a-z_]+)"/) {
                found.append((String(match.2), String(match.1)))
            }
            for match in text.matches(of: #/"tidemark: ([a-z_]+): /#) { found.append((String(match.1), "")) }
        }
        return found
    }

    @Test func `the table lists every code of the error line with its status, and no other`() throws {
        let rows = try rows()
        #expect(Set(rows.map(\.code)).count == rows.count)
        let statuses = try cases("Sources/TidemarkCommand/Failure/ExitStatus.swift")
        let written = try written()
        #expect(written.count > 30)
        for (code, status) in written {
            let row = rows.first { $0.code == code }
            #expect(row != nil, "\(code) is not in the table")
            // A notice that is a failure elsewhere is listed as the failure; `rebuilt` is made as a failure that exits
            // with 0.
            let number = status.isEmpty || status == "ok" ? "–" : statuses[status]
            #expect(row?.statuses.contains(number ?? "?") == true, "\(code) ends with \(number ?? status)")
        }
        let storage = try cases("Sources/Tidemark/Journal/StorageError.swift").values
        #expect(storage.count == 17)
        let streams = try cases("Sources/TidemarkJetStream/JetStreamError.swift").values
        #expect(streams.count == 16)
        #expect(Set(rows.map(\.code)) == Set(written.map(\.code)).union(storage).union(streams))
    }

    @Test func `the page lists every code of doctor`() throws {
        let text = try section("The error line").components(separatedBy: "One of:")
        let listed = try #require(text.last?.components(separatedBy: ".\n").first)
        let codes = Set(listed.matches(of: /`([a-z_]+)`/).map { String($0.1) })
        #expect(codes == Set(try cases("Sources/TidemarkSQLite/Doctor/FindingCode.swift").values))
    }

    @Test func `the table of session errors is complete`() throws {
        let codes = try cases("Sources/Tidemark/Queries/CacheError.swift").values
        let table = try section("Errors of a session")
        let listed = table.matches(of: /\| 1[0-9]{3} \| `([a-z_]+)` \|/).map { String($0.1) }
        #expect(Set(listed) == Set(codes))
        #expect(Set(listed).count == listed.count)
    }
}
