import Testing

/// The rules of CONTRIBUTING for comments and names of tests, as far as a program can check them.
@Suite struct PlainEnglishTests {
    /// Words that need the line above them, that begin a riddle, or a part of a sentence.
    private static let openings: Set = [
        "What", "Whatever", "Of", "Those", "They", "It", "Who", "Whoever", "As", "These", "That", "So", "And", "But",
        "nil", "Its", "Their", "Which", "Where", "When", "Why", "How", "While", "Since", "Until", "Before", "After",
        "In", "On", "At", "By", "For", "From", "With", "Within", "Without", "Between", "Above", "Below", "Under",
        "Bound", "Not",
    ]

    @Test func `a doc comment stands alone: it never opens with a word that points elsewhere`() throws {
        for folder in ["Sources", "Tests", "Benchmarks", "Examples"] {
            // Descriptions in a schema are its own.
            for file in try Tree.swiftFiles(in: folder) where !file.contains("/Generated/") {
                for (number, line) in try Self.firstLines(file) {
                    let word = line.prefix { $0.isLetter }
                    #expect(!Self.openings.contains(String(word)), "\(file):\(number) opens with \(word): \(line)")
                }
            }
        }
    }

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

    @Test func `no sentence of a document begins with a word that points elsewhere`() throws {
        let pattern = /(?:^|[.:!?|*] )(What|Whatever|Who|Whoever|Of|Those)\b[^.|?]*[.|?]/
        var count = 0
        for document in try Tree.documents() {
            var isCode = false
            var paragraphs = [""]
            for line in try Tree.text(document).split(separator: "\n", omittingEmptySubsequences: false) {
                if line.hasPrefix("```") { isCode.toggle() }
                if isCode || line.isEmpty || line.hasPrefix("|") || line.hasPrefix("#") {
                    paragraphs.append(line.hasPrefix("|") ? String(line) : "")
                } else {
                    paragraphs[paragraphs.count - 1] += (paragraphs[paragraphs.count - 1].isEmpty ? "" : " ") + line
                }
            }
            count += paragraphs.count
            for paragraph in paragraphs {
                for match in paragraph.matches(of: pattern) where !match.0.hasSuffix("?") {
                    #expect(Bool(false), "\(document): \(match.0)")
                }
            }
        }
        #expect(count > 1_000)
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
