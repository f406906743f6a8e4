import Foundation
import Testing

/// The form of the tests themselves.
@Suite struct TestFormTests {
    /// Calls that wait for another task, another process, or time.
    private static let waits = ["eventually", "caughtUp", "withCheckedContinuation", "TaskGroup", "CommandRunner("]

    @Test func `every suite that waits has a time limit`() throws {
        var count = 0
        for file in try Tree.swiftFiles(in: "Tests") where !file.contains("/Fuzzing/") {
            let text = try Tree.text(file)
            let code = try Tree.codeLines(file).map(\.1).joined(separator: "\n")
            guard text.contains("@Suite"), TestFormTests.waits.contains(where: code.contains) else { continue }
            count += 1
            #expect(text.contains(".timeLimit(.minutes("), "\(file) waits without a limit")
        }
        #expect(count >= 50)
    }

    @Test func `the size of a run is set by one variable`() throws {
        // The command to test and the folder of databases are places, not sizes.
        let known: Set = ["TIDEMARK_SCALE", "TIDEMARK_COMMAND", "TIDEMARK_TEST_FOLDER", "TIDEMARK_FUZZ"]
        for file in try Tree.swiftFiles(in: "Tests") + Tree.swiftFiles(in: "Sources") {
            for match in try Tree.text(file).matches(of: /"(TIDEMARK_[A-Z_]+)"/) {
                #expect(known.contains(String(match.1)), "\(file) reads \(match.1)")
            }
        }
    }
}
