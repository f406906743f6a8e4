import Foundation
import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTestKit

/// `tidemark doctor` as a child process.
@Suite(.pooled, .tags(.process)) struct DoctorCommandTests {
    @Test func `doctor exits with 0 for a sound database and reports its content`() async throws {
        let fixture = try await DatabaseFixture()
        let text = try await fixture.run(["doctor"])
        #expect(text.status == 0, "\(text.errorText)")
        for heading in ["The file", "The machine", "Beside the file", "Its content"] {
            #expect(text.outputLines.contains(heading))
        }
        #expect(!text.output.contains(0x1B))
        #expect(text.outputText.contains("5 entities in 3 libraries"))
        #expect(text.outputText.contains("no upstream had 2–2, 5–7 (library \"home\")"))
        let json = try await fixture.run(["doctor", "--json"])
        #expect(json.status == 0)
        let value = try ReferenceJSONParser.parse(Array(json.output.dropLast()))
        #expect(value.member("level")?.text == Array("warning".utf8))
        #expect(value.member("findings")?.elements?.isEmpty == false)
    }

    @Test(arguments: [
        ("missing", Int32(66)), ("not_a_database", 65), ("not_ours", 78), ("newer_format", 78), ("quick_check", 65),
    ])
    func `the worst finding decides the exit status`(code: String, status: Int32) async throws {
        let fixture = try await DatabaseFixture()
        var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: fixture.path)))
        switch code {
        case "not_a_database": bytes = Array("nothing".utf8)
        case "not_ours": bytes.flip(bit: 0, at: 68)
        case "newer_format": bytes[63] = 99
        default: bytes.replaceSubrange(3 * 8192..<5 * 8192, with: repeatElement(0xEE, count: 2 * 8192))
        }
        if code == "missing" {
            try FileManager.default.removeItem(atPath: fixture.path)
        } else {
            try Data(bytes).write(to: URL(fileURLWithPath: fixture.path))
        }
        let result = try await fixture.run(["doctor", "--json"])
        #expect(result.status == status, "\(result.errorText)")
        #expect(result.errorText.hasPrefix("tidemark: \(code): "), "\(result.errorText)")
        #expect(result.outputText.contains(#""code":"\#(code)""#))
    }

    @Test func `doctor examines a database that a session writes, and a read-only file`() async throws {
        let fixture = try await DatabaseFixture()
        let session = try LiveCommand(["run", "--db", fixture.path])
        session.write(Array(#"{"jsonrpc":"2.0","id":1,"method":"cache.stats"}"#.utf8) + [0x0A])
        guard case .line = session.next(seconds: 60) else {
            Issue.record("the session says nothing")
            return
        }
        let beside = try await fixture.run(["doctor", "--json"])
        #expect(beside.status == 0, "\(beside.errorText)")
        #expect(beside.outputText.contains(#""code":"writer_running""#))
        #expect(session.finish(seconds: 60).status == 0)
        #expect(chmod(fixture.path, 0o400) == 0)
        let alone = try await fixture.run(["doctor", "--json"])
        #expect(alone.status == 0, "\(alone.errorText)")
        #expect(alone.outputText.contains(#""code":"lock_free""#))
    }
}
