import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// Commands on encrypted databases, with a key in a file.
@Suite(.pooled, .tags(.process)) struct EncryptionCommandTests {
    private let folder: TemporaryFolder
    private var database: String { folder.path("a.db") }
    private var key: String { folder.path("a.key") }

    /// Every command that opens a database, with arguments that suit it.
    private static let commands = [
        ["ingest"], ["run", "--upstream", "none"], ["serve", "--listen", "127.0.0.1:0", "--upstream", "none"],
        ["get", "file:1"], ["list", "--type", "file"], ["export"], ["facets", "file", "/kind"], ["stats"], ["queries"],
        ["pending", "list"], ["quarantine", "list"], ["quarantine", "show", "1"], ["quarantine", "retry", "--all"],
        ["gaps"], ["verify"], ["verify", "--repair"], ["doctor"], ["remove", "file:1"], ["http", "list"],
        ["http", "invalidate", "--all"], ["view", "list"], ["view", "read", #"{"from":"file"}"#],
        ["erase", "--library", "home"],
    ]

    private static let lines = """
        {"sequence":1,"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"1","kind":"image"}}}}
        {"library_id":"home","sequence":1,"event":{"ResourceChanged":{"resource_type":"file","resource":{"id":"2"}}}}

        """

    init() async throws {
        folder = try TemporaryFolder()
        try write(String(repeating: "5a", count: 32) + "\n", to: "a.key")
        let result = try await run(["ingest", "--key-file", key], input: Self.lines)
        #expect(result.status == 0, "\(result.errorText)")
    }

    /// Writes a key file that nobody else can read.
    @discardableResult private func write(_ text: String, to name: String) throws -> String {
        let path = try folder.write(Array(text.utf8), to: name)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        return path
    }

    private func run(
        _ arguments: [String], on database: String? = nil, input: String = ""
    ) async throws -> CommandResult {
        try await CommandRunner().run(arguments + ["--db", database ?? self.database], input: Array(input.utf8))
    }

    /// Returns the contents of all files by name, but the file that says who held the lock last, and the token that a
    /// server makes first.
    private func contents() throws -> [String: [UInt8]] {
        var contents: [String: [UInt8]] = [:]
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path)
        where !name.hasSuffix("-lock") && !name.hasSuffix(".token") {
            contents[name] = try folder.read(name)
        }
        return contents
    }

    private func expectRefusal(
        _ command: [String], on database: String? = nil, status: Int32 = 78, code: String
    ) async throws {
        let before = try contents()
        let result = try await run(command, on: database)
        #expect(result.status == status, "\(command): \(result.status) \(result.errorText)")
        #expect(result.errorText.contains("tidemark: \(code): "), "\(command): \(result.errorText)")
        #expect(try contents() == before, "\(command)")
    }

    // MARK: Refusals

    @Test func `a command without the key, or with another one, ends with 78 and changes nothing`() async throws {
        let other = try write(String(repeating: "A6", count: 32), to: "b.key")
        for command in Self.commands where command != ["doctor"] {
            try await expectRefusal(command, code: "key_needed")
            try await expectRefusal(command + ["--key-file", other], code: "wrong_key")
        }
        // An examination reports its findings on standard output.
        #expect(try await run(["doctor", "--json"]).outputText.contains(#""code":"key_needed""#))
        let wrong = try await run(["doctor", "--json", "--key-file", other])
        #expect(wrong.outputText.contains(#""code":"wrong_key""#))
    }

    @Test func `a key for a plain database ends with 78 and changes nothing`() async throws {
        let plain = folder.path("plain.db")
        #expect(try await run(["ingest"], on: plain, input: Self.lines).status == 0)
        for command in Self.commands where command != ["doctor"] {
            try await expectRefusal(command + ["--key-file", key], on: plain, code: "not_encrypted")
        }
    }

    @Test(arguments: [
        "", "5a", String(repeating: "5a", count: 31) + "5", String(repeating: "5g", count: 32),
        String(repeating: "5a", count: 33), String(repeating: "5a", count: 16) + "\n\n",
        String(repeating: "\u{663}", count: 64),
    ])
    func `a file that is no key ends with 78`(text: String) async throws {
        let bad = try write(text, to: "bad.key")
        try await expectRefusal(["ingest", "--key-file", bad], code: "bad_key")
        try await expectRefusal(["get", "file:1", "--key-file", bad], code: "bad_key")
        try await expectRefusal(["rotate-key", "--key-file", key, "--new-key-file", bad], code: "bad_key")
    }

    @Test(arguments: [0o640, 0o604, 0o620, 0o644])
    func `a key file that others can read or change ends with 78`(mode: Int) async throws {
        let open = try write(String(repeating: "5a", count: 32), to: "open.key")
        try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: open)
        try await expectRefusal(["get", "file:1", "--key-file", open], code: "unsafe_key")
        try await expectRefusal(["ingest", "--key-file", open], on: folder.path("new.db"), code: "unsafe_key")
    }

    @Test func `a missing key file ends with 66, and a folder in its place with 78`() async throws {
        try await expectRefusal(["get", "file:1", "--key-file", folder.path("no.key")], status: 66, code: "not_found")
        try await expectRefusal(["ingest", "--key-file", folder.path("no.key")], status: 66, code: "not_found")
        try await expectRefusal(["get", "file:1", "--key-file", folder.path], code: "bad_key")
        #expect(try await run(["get", "file:1", "--key-file", ""]).status == 64)
    }

    // MARK: Work

    @Test func `32 raw bytes are the same key as their hexadecimal digits`() async throws {
        let raw = try write(String(repeating: "Z", count: 32), to: "raw.key")
        let entity = try await run(["get", "file:1", "--key-file", raw])
        #expect(entity.status == 0 && entity.outputText.contains(#""kind":"image""#), "\(entity.errorText)")
    }

    @Test func `a command with the key works as on a plain database`() async throws {
        let plain = folder.path("plain.db")
        #expect(try await run(["ingest"], on: plain, input: Self.lines).status == 0)
        for command in Self.commands where !["ingest", "serve", "quarantine"].contains(command[0]) {
            let sealed = try await run(command + ["--key-file", key])
            let expected = try await run(command, on: plain)
            #expect(sealed.status == expected.status, "\(command): \(sealed.errorText)")
            // An examination names the file and its size.
            if ["doctor", "stats", "verify"].contains(command[0]) { continue }
            #expect(sealed.outputText == expected.outputText, "\(command)")
        }
    }

    @Test func `readers work beside the writer, whose lock other writers respect`() async throws {
        let session = try LiveCommand(["run", "--db", database, "--key-file", key, "--upstream", "none"])
        session.write(Array((Self.lines + #"{"jsonrpc":"2.0","id":1,"method":"cache.flush"}"# + "\n").utf8))
        guard case .line = session.next() else {
            Issue.record("the session says nothing")
            return
        }
        #expect(try await run(["export", "--key-file", key]).outputLines.count == 2)
        #expect(try await run(["verify", "--key-file", key]).status == 0)
        try await expectRefusal(["export"], code: "key_needed")
        let new = try write(String(repeating: "07", count: 32), to: "new.key")
        for command in [
            ["ingest"], ["erase", "--library", "home"], ["rotate-key", "--new-key-file", new], ["verify", "--repair"],
        ] {
            #expect(try await run(command + ["--key-file", key]).status == 75, "\(command)")
        }
        #expect(session.finish().status == 0)
    }

    @Test func `a damaged page is found by verify, and repaired with the key`() async throws {
        let lines = (0..<2_000).map { number in
            EventLine.change(#"{"id":"n\#(number)","text":"marked-\#(number * 7_919)"}"#, sequence: Int64(number + 2))
        }
        #expect(
            try await run(["ingest", "--key-file", key], input: lines.joined(separator: "\n") + "\n").status == 0)
        var bytes = try folder.read("a.db")
        bytes.flip(bit: 0, at: bytes.count / 2)
        try folder.write(bytes, to: "a.db")
        #expect(try await run(["verify", "--key-file", key]).status == 65)
        let repair = try await run(["verify", "--repair", "--key-file", key])
        #expect(repair.status == 0, "\(repair.errorText)")
        #expect(try await run(["verify", "--key-file", key]).status == 0)
        try await expectRefusal(["export"], code: "key_needed")
        for (name, bytes) in try contents() {
            #expect(Data(bytes).range(of: Data("marked-".utf8)) == nil, "\(name)")
        }
    }

    // MARK: Another key

    @Test func `after a rotation the new key opens everything and the old one nothing`() async throws {
        let new = try write(String(repeating: "07", count: 32), to: "new.key")
        let before = try await run(["export", "--key-file", key]).outputText
        let rotation = try await run(["rotate-key", "--key-file", key, "--new-key-file", new])
        #expect(rotation.status == 0, "\(rotation.errorText)")
        try await expectRefusal(["export", "--key-file", key], code: "wrong_key")
        try await expectRefusal(["ingest", "--key-file", key], code: "wrong_key")
        try await expectRefusal(["rotate-key", "--key-file", key, "--new-key-file", new], code: "wrong_key")
        #expect(try await run(["export", "--key-file", new]).outputText == before)
        #expect(try await run(["ingest", "--key-file", new], input: Self.lines).status == 0)
    }

    @Test func `a rotation refuses plain, missing and unnamed databases`() async throws {
        let new = try write(String(repeating: "07", count: 32), to: "new.key")
        let rotation = ["rotate-key", "--key-file", key, "--new-key-file", new]
        let plain = folder.path("plain.db")
        #expect(try await run(["ingest"], on: plain, input: Self.lines).status == 0)
        try await expectRefusal(rotation, on: plain, code: "not_encrypted")
        try await expectRefusal(rotation, on: folder.path("none.db"), status: 66, code: "not_found")
        #expect(try await run(["rotate-key", "--new-key-file", new]).status == 64)
        #expect(try await run(["rotate-key", "--key-file", key]).status == 64)
    }
}
