import TestTraits
import Testing

/// One name stands for one type.
@Suite(.pooled) struct TypeNameTests {
    @Test func `no two types of the sources have one name`() throws {
        let pattern =
            #/^(?:(?:public|package|private|fileprivate|final|indirect|@\w+) )*(?:struct|class|actor|enum|protocol) (\w+)/#
        var files: [String: String] = [:]
        // Types inside other types have the name of the outer one before theirs; these lines are indented.
        for file in try Tree.swiftFiles(in: "Sources") {
            for (_, line) in try Tree.codeLines(file) where !line.hasPrefix(" ") && !line.isEmpty {
                guard let name = try pattern.firstMatch(in: line).map({ String($0.1) }) else { continue }
                let other = files.updateValue(file, forKey: name)
                #expect(other == nil, "\(file) and \(other ?? "") both have \(name)")
                // Two spellings of one word would have to be guessed.
                #expect(!name.hasPrefix("Graph") || name.hasPrefix("GraphQL"), "\(file): \(name)")
            }
        }
        #expect(files.count > 1_000)
    }

    @Test func `a file that is named for an extension holds one`() throws {
        var count = 0
        for file in try Tree.swiftFiles(in: "Sources") where file.contains("+") {
            count += 1
            let type = file.split(separator: "/").last?.prefix { $0 != "+" } ?? ""
            // Of the type, of an array of it, or a conformance to it.
            let pattern = try Regex(#"^extension (?:(?:[A-Za-z.]+\.)?\#(type)\b|\[\#(type)\]|[A-Za-z]+: \#(type)\b)"#)
            let holds = try Tree.codeLines(file).contains { try pattern.firstMatch(in: $0.1) != nil }
            #expect(holds, "\(file) holds no extension of \(type)")
        }
        #expect(count > 300)
    }

    /// The variables of the actor that every file of its extensions can reach. The rest of its state is private to its
    /// parts, each of which has tests without an actor.
    @Test func `the actor has few variables of its own`() throws {
        let pattern = /^    (?:private\(set\) |package internal\(set\) )?var (\w+)[^{]*$/
        let names = try Tree.codeLines("Sources/Tidemark/Engine/SyncCache.swift").compactMap {
            try pattern.firstMatch(in: $0.1).map { String($0.1) }
        }
        #expect(names.contains("state") && names.count <= 15, "\(names.count): \(names)")
    }
}
