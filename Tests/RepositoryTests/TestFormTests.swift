import Foundation
import TestTraits
import Testing

/// The form of the tests themselves.
@Suite(.pooled) struct TestFormTests {
    @Test func `every suite takes its tests from the pool`() throws {
        var count = 0
        for file in try Tree.swiftFiles(in: "Tests")
        where !file.contains("/Support/") && !file.hasSuffix("/TestFormTests.swift") {
            let text = try Tree.text(file)
            guard text.contains(/(?m)^ +@Test\b/), !text.contains(/(?m)^extension \w+Tests\b/) else { continue }
            count += 1
            #expect(
                text.contains(/@Suite\([^{]*\.pooled\b/), "\(file) has a suite that starts all of its tests at once")
            #expect(!text.contains(".timeLimit("), "\(file) has a time limit that includes the wait for a place")
        }
        #expect(count >= 300)
    }

    /// Files that measure on purpose, and compare no time with a number.
    private static let measurements = ["/Measurements/", "/Soak/", "LimitTests.swift"]

    @Test func `no test compares a time that passed with a number, or counts turns`() throws {
        // A stopwatch, and a loop that gives up after so many turns: both depend on the machine.
        let stopwatch = /timeIntervalSince\(|(?:ContinuousClock|SuspendingClock|Date)(?:\(\))?\.now[ ]-[ ]?/
        let turns = /for _ in 0\.\.<[0-9_]+ \{\s*if [^\n]*(?:return true|break)/
        let files = try Tree.swiftFiles(in: "Tests").filter { !$0.hasSuffix("/TestFormTests.swift") }
        for file in files where !TestFormTests.measurements.contains(where: file.contains) {
            let lines = try Tree.codeLines(file)
            for (number, line) in lines {
                #expect(line.firstMatch(of: stopwatch) == nil, "\(file):\(number) reads a stopwatch")
            }
            let code = lines.map(\.1).joined(separator: "\n")
            #expect(code.firstMatch(of: turns) == nil, "\(file) gives up after a number of turns")
        }
    }

    @Test func `a time limit is a guard against hanging: half an hour at least`() throws {
        for file in try Tree.swiftFiles(in: "Tests") {
            for match in try Tree.text(file).matches(of: /\.pooled\(minutes: ([0-9]+)\)/) {
                #expect(Int(match.1).map { $0 >= 30 } == true, "\(file) has \(match.1) minutes")
            }
        }
    }

    @Test func `the size of a run is set by one variable`() throws {
        // The command to test and the folder of databases are places, not sizes.
        let known: Set = ["TIDEMARK_SCALE", "TIDEMARK_COMMAND", "TIDEMARK_TEST_FOLDER", "TIDEMARK_FUZZ"]
        for file in try Tree.swiftFiles(in: "Tests") + Tree.swiftFiles(in: "Sources") {
            let text = try Tree.text(file)
            guard text.contains("\"TIDEMARK_") else { continue }
            for match in text.matches(of: /"(TIDEMARK_[A-Z_]+)"/) {
                #expect(known.contains(String(match.1)), "\(file) reads \(match.1)")
            }
        }
    }

    /// The tags that a suite has by its name, or by what it calls.
    private static let tags: [(tag: String, isDue: @Sendable (_ name: String, _ code: String) -> Bool)] = [
        ("process", { $1.contains(/\b(CommandRunner|LiveCommand|ServedCommand)\(/) }),
        ("crash", { $0.contains("Crash") || $1.contains(/TestScale\.(kills|points?)\b|crashPointCount/) }),
        ("race", { name, _ in name.hasSuffix("RaceTests") }),
        ("model", { $0.contains(/Model(Comparison)?Tests$/) && $1.contains("seed") }),
    ]

    @Test func `a suite is tagged by what it does`() throws {
        var counts: [String: Int] = [:]
        for file in try Tree.swiftFiles(in: "Tests") where !file.contains("/Fuzzing/") {
            let text = try Tree.text(file)
            guard text.contains("@Suite"), !file.hasSuffix("/TestFormTests.swift") else { continue }
            let name = file.split(separator: "/").last.map { String($0.dropLast(".swift".count)) } ?? ""
            let code = try Tree.codeLines(file).map(\.1).joined(separator: "\n")
            for (tag, isDue) in TestFormTests.tags where isDue(name, code) {
                counts[tag, default: 0] += 1
                #expect(text.contains(try Regex("\\.tags\\([^)]*\\.\(tag)\\b")), "\(file) has not the tag \(tag)")
            }
        }
        #expect(counts.count == TestFormTests.tags.count && counts.values.reduce(0, +) >= 60)
    }

    /// Folders of tests that no folder of sources has: what they test has no single place.
    private static let ownFolders: Set = [
        "Ages", "Cascades", "Crashes", "Damage", "Documentation", "Extension", "Fixtures", "Framing", "Hostile", "HTTP",
        "Load", "Measurements", "Oracle", "Soak",
    ]

    @Test func `folders of tests are those of the sources`() throws {
        var count = 0
        let files = try Tree.swiftFiles(in: "Tests").map { $0.split(separator: "/").map(String.init) }
        // The folders of the operations' tests are the schemas from which types are generated.
        let modules = Set(files.map { $0[1] }).filter { $0 != "TidemarkGraphQLTypesTests" }
        for tests in modules {
            let sources = "Sources/" + tests.dropLast("Tests".count)
            guard Tree.exists(sources) else { continue }
            let paths = try Tree.swiftFiles(in: sources).map { $0.split(separator: "/").map(String.init) }
            let folders = Set(paths.filter { $0.count > 3 }.map { $0[2] })
            // A module whose sources are mostly without folders has tests without folders.
            let isFlat = paths.count { $0.count == 3 } * 2 >= paths.count
            for path in files where path[1] == tests {
                count += 1
                guard path.count > 3 else {
                    #expect(
                        isFlat, "\(path.joined(separator: "/")) belongs into one of the folders \(folders.sorted())")
                    continue
                }
                #expect(
                    folders.contains(path[2]) || TestFormTests.ownFolders.contains(path[2]),
                    "\(sources) has no folder \(path[2])")
            }
        }
        #expect(count >= 300)
    }

    @Test func `bytes are damaged by the kit, and event lines written by the builder`() throws {
        for file in try Tree.swiftFiles(in: "Tests") where !file.contains("/Support/") {
            for (number, line) in try Tree.codeLines(file) where line.contains("] ^= ") {
                // A token with one other digit is no damage.
                #expect(file.hasSuffix("AccessTests.swift"), "\(file):\(number) damages bytes by hand")
            }
        }
        // Whole events on one line, in the form that `EventLine` has. Suites about forms of lines spell them out.
        let pattern =
            /#"\{("library_id":"[a-z]+",)?("sequence":[0-9]+,)?"event":\{"Resource(Changed|Deleted)":[^#]*\}"#/
        var spelled: Set<String> = []
        for file in try Tree.swiftFiles(in: "Tests")
        where try !file.contains("/Fuzzing/") && Tree.text(file).contains(pattern) {
            spelled.insert(file)
        }
        #expect(spelled.isSubset(of: TestFormTests.spelledLines), "EventLine writes such lines")
    }

    private static let spelledLines: Set = [
        "Tests/TidemarkTestingTests/Inputs/EventLineTests.swift",
        "Tests/TidemarkJetStreamTests/Messages/MessageLineTests.swift",
        "Tests/TidemarkTests/Engine/SequenceEdgeTests.swift",
        "Tests/TidemarkHTTPTests/HTTPEntitiesTests.swift", "Tests/TidemarkHTTPTests/HTTPToolTests.swift",
    ]
}
