import Foundation
import TestTraits
import Testing

@testable import TidemarkScopeTokens

/// The file of keys in the guide.
@Suite(.pooled) struct KeyGuideTests {
    @Test func `the example of the guide can be used`() async throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../../docs/scopes.md")
        let text = try String(contentsOf: path, encoding: .utf8)
        let blocks = text.components(separatedBy: "```json\n").dropFirst()
        let block = try #require(blocks.first { $0.hasPrefix(#"{"keys""#) }?.components(separatedBy: "```").first)
        #expect(try await TokenKeySet(json: Array(block.utf8)).ids.count == 2)
    }
}
