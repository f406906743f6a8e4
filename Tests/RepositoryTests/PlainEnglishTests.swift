import TestTraits
import Testing

/// The few rules for comments and names of tests that a program can check; a reader judges the rest.
@Suite(.pooled) struct PlainEnglishTests {
    @Test func `lines of comments end at 120 columns`() throws {
        for folder in ["Sources", "Tests", "Benchmarks", "Examples"] {
            for file in try Tree.swiftFiles(in: folder) {
                let lines = try Tree.text(file).split(separator: "\n", omittingEmptySubsequences: false)
                for (index, line) in lines.enumerated() where line.utf8.count > 120 {
                    guard line.count > 120, line.contains(/^ *\/\//) else { continue }
                    // Tables, examples and addresses cannot be broken.
                    if line.contains("|") || line.contains("://") || line.contains("    {") { continue }
                    #expect(Bool(false), "\(file):\(index + 1) has \(line.count) columns")
                }
            }
        }
    }

    @Test func `a test is named by a behaviour, with its subject first`() throws {
        for file in try Tree.swiftFiles(in: "Tests") {
            for line in try Tree.text(file).split(separator: "\n") where line.utf8.contains(UInt8(ascii: "`")) {
                guard let match = line.firstMatch(of: /func `([a-z]+) [^`]*`/) else { continue }
                #expect(!["what", "who", "it", "whoever", "whatever"].contains(String(match.1)), "\(file): \(match.0)")
            }
        }
    }
}
