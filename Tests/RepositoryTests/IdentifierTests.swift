import Foundation
import TestTraits
import Testing

/// Every name in backticks in a document exists: a name that changes in the sources changes in the documents, too.
@Suite(.pooled) struct IdentifierTests {
    /// The words in backticks that no file of the package has, with the reasons why they are allowed.
    private static let foreign: Set<String> = [
        // Other programs, their options and settings.
        "perf", "taskset", "SCHED_IDLE", "ZSTD_dictForceCopy", "writeQuery", "GLIBC_TUNABLES", "glibc", "hugetlb",
        "SWT_EXPERIMENTAL_MAXIMUM_PARALLELIZATION_WIDTH",
        "SocketGroup", "backup", "defensive", "resolution", "revision", "HUP", "ldb",
        // Names that were considered, or removed, in decisions.
        "TidemarkEngine",
        // Words that represent something else.
        "Module", "uxxxx",
    ]

    @Test func `every word in backticks occurs in the sources`() throws {
        let known = try Set(
            ["Sources", "Tests", "Benchmarks", "Packaging", "Examples", "Protocol", "Web", ".ci", ".github"]
                .flatMap { try Tree.textFiles(in: $0) }.filter { !$0.hasSuffix(".md") && $0 != IdentifierTests.path }
                .flatMap { try words(Tree.text($0)).union(words($0)) }
                + ["Package.swift", "Makefile", ".gitignore"].flatMap { try words(Tree.text($0)) })
        #expect(known.count > 5_000)
        var used: Set<String> = []
        for document in try documents() {
            for span in try spans(of: document) where !span.hasPrefix("0x") {
                for word in words(span) where word.utf8.count > 2 && !known.contains(word) {
                    used.insert(word)
                    #expect(IdentifierTests.foreign.contains(word), "\(document) says `\(span)`: there is no \(word)")
                }
            }
        }
        #expect(used == IdentifierTests.foreign, "the list of exceptions holds what is no exception")
    }

    @Test func `every member in backticks is one of its type`() throws {
        var bodies: [String: [Set<String>]] = [:]
        for file in try Tree.swiftFiles(in: "Sources") {
            let code = try Tree.text(file).split(separator: "\n").filter { !$0.drop { $0 == " " }.hasPrefix("//") }
            let all = words(code.joined(separator: "\n"))
            for line in code where IdentifierTests.kinds.contains(where: { line.contains("\($0) ") }) {
                let parts = line.split { !($0.isLetter || $0.isNumber || "_.".contains($0)) }
                guard let at = parts.firstIndex(where: { IdentifierTests.kinds.contains($0) }), at + 1 < parts.count
                else { continue }
                for name in parts[at + 1].split(separator: ".") { bodies[String(name), default: []].append(all) }
            }
        }
        #expect(bodies.count > 300)
        var count = 0
        for document in try documents() where !document.hasSuffix("changelog.md") {
            for span in try spans(of: document) {
                let parts = span.prefix { $0.isLetter || $0.isNumber || "_.".contains($0) }.split(separator: ".")
                guard parts.count == 2, let files = bodies[String(parts[0])], parts[0].first?.isUppercase == true,
                    parts[1].first?.isLowercase == true, parts[1] != "swift", parts[1] != "self"
                else { continue }
                count += 1
                #expect(
                    files.contains { $0.contains(String(parts[1])) },
                    "\(document) says `\(span)`: no file that has \(parts[0]) has \(parts[1])")
            }
        }
        #expect(count > 50)
    }

    @Test func `every page that is cited exists`() throws {
        for file in try Tree.swiftFiles(in: "Sources") {
            for line in try Tree.text(file).split(separator: "\n") where line.contains("- Source:") {
                #expect(!line.contains("contract"), "\(file): \(line)")
                for word in line.split(whereSeparator: { " ;,:()".contains($0) }) {
                    let path = word.hasSuffix(".") ? String(word.dropLast()) : String(word)
                    guard path.hasPrefix("Protocol/") || path.hasPrefix("docs/") else { continue }
                    #expect(Tree.exists(path), "\(file) cites \(path)")
                }
            }
        }
    }

    private static let path = "Tests/RepositoryTests/IdentifierTests.swift"
    private static let kinds: Set<Substring> = ["class", "struct", "actor", "enum", "extension", "protocol"]

    /// Returns the documents for users, and the articles.
    private func documents() throws -> [String] {
        try Tree.documents() + Tree.textFiles(in: "Sources/Tidemark/Tidemark.docc").filter { $0.hasSuffix(".md") }
    }

    /// Returns the texts in backticks on one line, outside of blocks of code.
    private func spans(of document: String) throws -> [String] {
        var isBlock = false
        return try Tree.text(document).split(separator: "\n").flatMap { line -> [String] in
            if line.hasPrefix("```") {
                isBlock.toggle()
                return []
            }
            if isBlock { return [] }
            var line = line
            // In the tables of this page only the last column is about this package.
            if document == "docs/moving.md", line.hasPrefix("|") {
                line = line.dropLast().split(separator: "|").last ?? ""
            }
            let parts = line.split(separator: "`", omittingEmptySubsequences: false)
            return stride(from: 1, to: parts.count - 1, by: 2).map { String(parts[$0]) }
        }
    }

    /// Returns the runs of ASCII letters, digits and underscores that do not begin with a digit.
    private func words(_ text: String) -> Set<String> {
        var words: Set<String> = []
        Array(text.utf8).withUnsafeBufferPointer { bytes in
            // A plain pointer: without optimization each byte of a collection takes a call.
            guard let base = bytes.baseAddress else { return }
            var start = 0
            for end in 0...bytes.count {
                if end < bytes.count {
                    let isDigit = base[end] >= 0x30 && base[end] <= 0x39
                    let letter = base[end] | 0x20
                    if letter >= 0x61 && letter <= 0x7A || base[end] == 0x5F || isDigit && start < end { continue }
                }
                if start < end {
                    words.insert(String(decoding: UnsafeBufferPointer(rebasing: bytes[start..<end]), as: UTF8.self))
                }
                start = end + 1
            }
        }
        return words
    }
}
