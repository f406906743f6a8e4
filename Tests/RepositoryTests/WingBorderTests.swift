import TestTraits
import Testing

/// GraphQL, HTTP and whatever else is attached to a cache stand beside the engine, and reach it by its ports.
@Suite(.pooled) struct WingBorderTests {
    @Test func `outside of its module the actor gets only ways to open it, and calls that do not run on it`() throws {
        let beginning = /^(?:\w+ )*extension (?:Tidemark\.)?SyncCache\b/
        let member = /^    [A-Za-z@]/
        var found: [String] = []
        for file in try Tree.swiftFiles(in: "Sources") where !file.hasPrefix("Sources/Tidemark/") {
            var isInside = false
            for (number, line) in try Tree.codeLines(file) {
                if try beginning.firstMatch(in: line) != nil {
                    isInside = true
                    // A conformance would give other modules a hold on the actor, too.
                    #expect(line == "extension SyncCache {", "\(file):\(number)")
                    found.append(file)
                } else if line == "}" {
                    isInside = false
                } else if isInside, try member.firstMatch(in: line) != nil {
                    // Neither has a hold on the actor's state.
                    let reaches = line.hasPrefix("    public static func ") || line.contains(" nonisolated func ")
                    #expect(reaches, "\(file):\(number): make it a method that takes an isolated SyncCache")
                }
            }
        }
        #expect(
            found.sorted() == [
                "Sources/TidemarkLiveViews/Client/SyncCache+ExplainedViews.swift",
                "Sources/TidemarkLiveViews/Client/SyncCache+Views.swift",
                "Sources/TidemarkSQLite/SyncCache+Open.swift",
                "Sources/TidemarkTesting/Journals/SyncCache+InMemory.swift",
            ])
    }

    @Test(arguments: ["Sources/TidemarkStore", "Sources/Tidemark"])
    func `the engine declares no name of what is attached to it`(folder: String) throws {
        let declaration = /\b(?:struct|class|actor|enum|protocol|typealias|func|var|let|case) `?(\w+)/
        var count = 0
        for file in try Tree.swiftFiles(in: folder) {
            let name = file.lowercased()
            #expect(!name.contains("graph") && !name.contains("http"), "\(file)")
            for (number, line) in try Tree.codeLines(file) {
                for match in line.matches(of: declaration) {
                    count += 1
                    let name = match.1.lowercased()
                    #expect(!name.contains("graph") && !name.contains("http"), "\(file):\(number): \(match.1)")
                }
            }
        }
        #expect(count > 1_000)
    }
}
