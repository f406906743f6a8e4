import Foundation
import TidemarkTestKit

/// The tables of Protocol/graphql.md, so that tests can name each of their rows.
enum PageTable {
    /// Returns the first column of the table under a heading of the third level.
    static func rows(of heading: String) throws -> [String] {
        let page = try String(contentsOf: ProtocolVector.protocolFolder.appending(path: "graphql.md"), encoding: .utf8)
        let section = page.components(separatedBy: "### \(heading)\n").dropFirst().first ?? ""
        let lines = section.split(separator: "\n").prefix { !$0.hasPrefix("#") }.filter { $0.hasPrefix("|") }
        return lines.dropFirst(2).map { line in
            line.split(separator: "|")[0].trimmingCharacters(in: .whitespaces)
        }
    }
}
