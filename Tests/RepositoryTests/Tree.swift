import Foundation
import Synchronization

/// The files of this package, by their paths from its root.
enum Tree {
    private static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    static func exists(_ path: String) -> Bool {
        FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
    }

    static func url(_ path: String) -> URL { root.appendingPathComponent(path) }

    static func text(_ path: String) throws -> String {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
    }

    static func swiftFiles(in folder: String) throws -> [String] {
        let files = try paths(in: folder).filter { $0.hasSuffix(".swift") }
        precondition(!files.isEmpty, "there are no Swift files in \(folder)")
        return files
    }

    /// Returns the pages at the root, and every page below `docs` and `Protocol`.
    static func documents() throws -> [String] {
        let folders = try ["docs", "Protocol"].filter(exists).flatMap { try paths(in: $0) }
        return ["README.md", "CONTRIBUTING.md", "SECURITY.md", "Examples/README.md"]
            + folders.filter { $0.hasSuffix(".md") }
    }

    /// The files that were read so far: several tests read the code of each.
    private static let read = Mutex<[String: [(Int, String)]]>([:])

    /// Returns a file's lines with their numbers from 1, without comments and without string literals.
    static func codeLines(_ path: String) throws -> [(Int, String)] {
        if let lines = read.withLock({ $0[path] }) { return lines }
        var isInText = false
        var result: [(Int, String)] = []
        for (index, line) in try text(path).split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            if line.utf8.contains(UInt8(ascii: "\"")), line.contains("\"\"\"") {
                isInText.toggle()
                continue
            }
            if isInText { continue }
            result.append((index + 1, code(of: line)))
        }
        read.withLock { $0[path] = result }
        return result
    }

    /// Returns a line with empty string literals, and without its comment.
    private static func code(of line: Substring) -> String {
        Array(line.utf8).withUnsafeBufferPointer { line in
            // A plain pointer: without optimization each byte of a collection takes a call.
            guard let bytes = line.baseAddress else { return "" }
            let (quote, backslash, slash): (UInt8, UInt8, UInt8) = (0x22, 0x5C, 0x2F)
            var code = ""
            var start = 0
            func add(upTo end: Int) {
                code += String(decoding: UnsafeBufferPointer(rebasing: line[start..<end]), as: UTF8.self)
            }
            var index = 0
            while index < line.count {
                if bytes[index] == slash, index + 1 < line.count, bytes[index + 1] == slash { break }
                index += 1
                if bytes[index - 1] != quote { continue }
                var end = index
                while end < line.count, bytes[end] != quote { end += bytes[end] == backslash ? 2 : 1 }
                // A literal without an end is in a comment, or is one of the marks of a regular expression.
                if end >= line.count { continue }
                add(upTo: index)
                start = end
                index = end + 1
            }
            add(upTo: index)
            return code
        }
    }

    /// The names of all suites, and of all tests.
    struct TestNames {
        var suites: Set<String> = []
        var tests: Set<String> = []

        var all: Set<String> { suites.union(tests) }
    }

    private static let foundTestNames = Mutex<TestNames?>(nil)

    /// Returns the names of all suites and tests. Bytes are compared, because searches in strings take seconds here.
    static func testNames() throws -> TestNames {
        if let names = foundTestNames.withLock({ $0 }) { return names }
        let (function, suite) = (Array("func `".utf8), Array("struct ".utf8))
        var names = TestNames()
        for file in try swiftFiles(in: "Tests") {
            for line in Array(try text(file).utf8).split(separator: UInt8(ascii: "\n")) {
                // `@Test func`, or `@Suite struct`, also behind the arguments of the attribute.
                for start in line.indices where line[start] == function[0] || line[start] == suite[0] {
                    let rest = line[start...]
                    if rest.starts(with: function) {
                        let name = rest.dropFirst(function.count).prefix { $0 != UInt8(ascii: "`") }
                        names.tests.insert(String(decoding: name, as: UTF8.self))
                    } else if rest.starts(with: suite) {
                        let ends = [UInt8(ascii: " "), UInt8(ascii: ":")]
                        let name = rest.dropFirst(suite.count).prefix { !ends.contains($0) }
                        names.suites.insert(String(decoding: name, as: UTF8.self))
                    }
                }
            }
        }
        foundTestNames.withLock { $0 = names }
        return names
    }

    /// Returns the text files of a folder, except those of fuzzers.
    static func textFiles(in folder: String) throws -> [String] {
        try paths(in: folder).filter { path in
            var isFolder: ObjCBool = false
            _ = FileManager.default.fileExists(atPath: url(path).path, isDirectory: &isFolder)
            if isFolder.boolValue || path.contains("/Corpora/") { return false }
            return try String(validating: Data(contentsOf: url(path)), as: UTF8.self) != nil
        }
    }

    /// Returns every file and folder below a folder, except what is built: a word or a link that only a built file
    /// has would be found here, and missing in a fresh clone.
    static func paths(in folder: String) throws -> [String] {
        try FileManager.default.subpathsOfDirectory(atPath: root.appendingPathComponent(folder).path)
            .map { folder + "/" + $0 }.filter { !isBuilt($0) }.sorted()
    }

    /// Returns whether a path is one that `.gitignore` leaves out.
    private static func isBuilt(_ path: String) -> Bool {
        if builtFolders.contains(where: path.hasPrefix) { return true }
        return path.split(separator: "/").contains { builtNames.contains($0) || $0.hasPrefix(".build") }
    }

    private static let builtFolders = ["Web/client/dist/", "Web/client/bundle/"]
    private static let builtNames: Set<Substring> = [
        "Package.resolved", "DerivedData", ".swiftpm", "__pycache__", "node_modules",
    ]
}
