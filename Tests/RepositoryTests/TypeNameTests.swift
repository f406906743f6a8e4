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
            }
        }
        #expect(files.count > 1_000)
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
