import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// Files of other programs, and several names of one file.
@Suite(.pooled, .tags(.process)) struct ForeignFileTests {
    private static let line = Array(EventLine.change(#"{"id":"1"}"#).utf8)

    @Test(arguments: [
        ["ingest"], ["run"], ["remove", "file:1"], ["quarantine", "retry", "--all"], ["verify", "--repair"], ["verify"],
        ["get", "file:1"], ["export"], ["doctor"],
    ])
    func `a text file ends every command with 78, and stays as it is`(command: [String]) async throws {
        let folder = try TemporaryFolder()
        let notes = Array("what to buy\n- bread\n".utf8)
        let path = try folder.write(notes, to: "notes.txt")
        let result = try await CommandRunner().run(command + ["--db", path], input: Self.line)
        #expect(result.status == 78, "\(result.errorText)")
        #expect(result.errorText.hasPrefix("tidemark: not_ours: "))
        #expect(try folder.read("notes.txt") == notes)
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["notes.txt"])
    }

    @Test func `a database opened through a hard link gets no second writer`() async throws {
        let folder = try TemporaryFolder()
        let database = folder.path("a.db")
        #expect(try await CommandRunner().run(["ingest", "--db", database], input: Self.line).status == 0)
        let link = folder.path("b.db")
        try FileManager.default.linkItem(atPath: database, toPath: link)
        let session = try LiveCommand(["run", "--db", database, "--upstream", "none"])
        session.write(Array(#"{"jsonrpc":"2.0","id":1,"method":"cache.stats"}"#.utf8) + [0x0A])
        guard case .line = session.next(seconds: 60) else {
            Issue.record("the session says nothing")
            return
        }
        let second = try await CommandRunner().run(["ingest", "--db", link], input: Self.line)
        #expect(second.status == 75)
        #expect(second.errorText.contains(", under the name "), "\(second.errorText)")
        let doctor = try await CommandRunner().run(["doctor", "--db", link, "--json"])
        #expect(doctor.outputText.contains(#""code":"writer_running""#))
        #expect(doctor.outputText.contains(#""code":"several_names""#))
        #expect(session.finish(seconds: 60).status == 0)
        #expect(try await CommandRunner().run(["ingest", "--db", link], input: Self.line).status == 0)
    }
}
