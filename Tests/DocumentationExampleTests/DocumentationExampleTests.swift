import TestTraits
import Testing
import TidemarkTestKit

/// The examples of doc comments compile, as in a package of a user: `Generated` has each of them as a function.
@Suite(.pooled, .tags(.process)) struct DocumentationExampleTests {
    @Test func `the compiled examples are those of the doc comments`() async throws {
        let script = ProtocolVector.protocolFolder.deletingLastPathComponent()
            .appending(path: "Tests/DocumentationExampleTests/generate.py")
        let result = try await CommandRunner(executable: "/usr/bin/env").run(["python3", script.path, "--check"])
        #expect(result.status == 0, "\(result.errorText)")
    }
}
