import Foundation
import TestTraits
import Testing
import TidemarkTestKit

/// The code of the article is compiled: `TutorialTests` has it, word for word.
@Suite(.pooled) struct DocumentationTests {
    private static let root = ProtocolVector.protocolFolder.deletingLastPathComponent()

    private static func files(in folder: String, _ ending: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
            .filter { $0.hasSuffix(ending) }.map { folder + "/" + $0 }.sorted()
    }

    private static func lines(_ path: String) throws -> [String] {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8).components(separatedBy: "\n")
            .map { $0.trimmingCharacters(in: .whitespaces) }
    }

    /// Returns the blocks of Swift in a text, without indentation; an ellipsis marks a sketch, which no compiler reads.
    private static func blocks(in lines: [String]) -> [[String]] {
        var blocks: [[String]] = []
        var block: [String]?
        for line in lines {
            if line == "```swift" {
                block = []
            } else if line == "```", let finished = block {
                blocks.append(finished)
                block = nil
            } else {
                block?.append(line)
            }
        }
        return blocks
    }

    private static func holds(_ lines: [String], _ block: [String]) -> Bool {
        lines.indices.contains { lines[$0...].starts(with: block) }
    }

    private static let compiled = "Tests/TidemarkTests/Documentation/TutorialTests.swift"

    @Test func `all code of the article is compiled`() throws {
        let tests = try DocumentationTests.lines(DocumentationTests.compiled)
        let articles = try DocumentationTests.files(in: "Sources/Tidemark/Tidemark.docc", ".md")
        let blocks = try articles.flatMap { DocumentationTests.blocks(in: try DocumentationTests.lines($0)) }
        #expect(blocks.count >= 10)
        for block in blocks {
            #expect(DocumentationTests.holds(tests, block), "no test holds \(block.joined(separator: "\n"))")
        }
    }
}
