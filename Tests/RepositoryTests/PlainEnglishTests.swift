import Testing

/// The rules of CONTRIBUTING for comments and names of tests, as far as a program can check them.
@Suite struct PlainEnglishTests {
    /// Words that need the line above them, or that begin a riddle.
    private static let openings = [
        "What", "Whatever", "Of", "Those", "They", "It", "Who", "Whoever", "As", "These", "That", "So", "And", "But",
    ]

    @Test func `a doc comment stands alone: it never opens with a word that points elsewhere`() throws {
        for folder in ["Sources", "Tests", "Benchmarks", "Examples"] {
            for file in try Tree.swiftFiles(in: folder) {
                for (number, line) in try Self.firstLines(file) {
                    let word = line.prefix { $0.isLetter }
                    #expect(!Self.openings.contains(String(word)), "\(file):\(number) opens with \(word): \(line)")
                }
            }
        }
    }

    @Test func `a test is named by a behaviour, with its subject first`() throws {
        for file in try Tree.swiftFiles(in: "Tests") {
            for match in try Tree.text(file).matches(of: /func `([a-z]+) [^`]*`/) {
                #expect(!["what", "who", "it", "whoever", "whatever"].contains(String(match.1)), "\(file): \(match.0)")
            }
        }
    }

    /// The first line of each doc comment, with its number.
    private static func firstLines(_ file: String) throws -> [(Int, Substring)] {
        var found: [(Int, Substring)] = []
        var isInside = false
        let lines = try Tree.text(file).split(separator: "\n", omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let text = line.drop { $0 == " " }
            guard text.hasPrefix("/// ") else {
                isInside = text.hasPrefix("///")
                continue
            }
            if !isInside { found.append((index + 1, text.dropFirst(4))) }
            isInside = true
        }
        return found
    }
}
