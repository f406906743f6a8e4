import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

/// Erasing libraries, and searches for what must not be readable in any file.
@Suite(.pooled, .tags(.process)) struct EraseCommandTests {
    private let folder: TemporaryFolder
    private var database: String { folder.path("a.db") }

    init() throws {
        folder = try TemporaryFolder()
        let key = try folder.write(Array(String(repeating: "5a", count: 32).utf8), to: "a.key")
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
    }

    private func options(isEncrypted: Bool) -> [String] {
        ["--db", database] + (isEncrypted ? ["--key-file", folder.path("a.key")] : [])
    }

    /// Returns lines of a session that store every kind of data, with a marker in each.
    ///
    /// - Parameter mark: Part of each marker, in the library's name too.
    private static func session(_ mark: String) -> [String] {
        let library = "library-\(mark)"
        var id = 0
        func call(_ method: String, _ params: String) -> String {
            id += 1
            let params = #"{"library_id":"\#(library)",\#(params)}"#
            return #"{"jsonrpc":"2.0","id":\#(id),"method":"\#(method)","params":\#(params)}"#
        }
        var lines = [
            EventLine.change(
                #"{"id":"id-\#(mark)","name":"payload-\#(mark)","kind":"field-\#(mark)"}"#, type: "type-\(mark)",
                library: library, sequence: 1, epoch: "epoch-\(mark)"),
            // Unusable in part, so that it is kept in the quarantine.
            #"{"library_id":"\#(library)","sequence":2,"event":{"ResourceChanged":{"resource_type":"file","resource":{"name":"quarantine-\#(mark)"}}}}"#,
            #"{"library_id":"\#(library)","sequence":3,"event":{"ResourceDeleted":{"resource_type":"file","resource_id":"gone-\#(mark)"}}}"#,
            call(
                "query.put",
                #""method":"list-\#(mark)","input":{"a":"input-\#(mark)"},"resource_type":"file","tags":["tag-\#(mark)"],"resources":[{"id":"listed-\#(mark)"}]"#
            ),
            call(
                "optimistic.update",
                #""pending_id":"edit-\#(mark)","changes":[{"op":"put","resource_type":"file","resource":{"id":"new-\#(mark)","name":"edited-\#(mark)"}}],"send":{"method":"send-\#(mark)","input":{"b":"request-\#(mark)"}}"#
            ),
            call(
                "view.define",
                #""name":"view-\#(mark)","view":{"from":"file","where":{"path":"file/text","ne":"rule-\#(mark)"}}"#),
            call(
                "graphql.write",
                #""document":"query { hero-\#(mark) }","data":{}"#.replacingOccurrences(of: "hero-", with: "hero_")),
        ]
        // Enough of one shape that blocks and dictionaries are made of them.
        for number in 0..<1_500 {
            lines.append(
                EventLine.change(
                    #"{"id":"many-\#(mark)-\#(number)","text":"dictionary-\#(mark) \#(number * 7_919)"}"#, type: "file",
                    library: library, sequence: Int64(number + 4), epoch: "epoch-\(mark)"))
        }
        lines.append(call("cache.flush", #""a":0"#))
        return lines
    }

    /// Returns the names of files that have the mark, in any case that a store could write it.
    private func leaks(of mark: String) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted().filter { name in
            Data(try folder.read(name)).range(of: Data(mark.utf8)) != nil
        }
    }

    private func run(_ arguments: [String], isEncrypted: Bool, input: [String] = []) async throws -> CommandResult {
        try await CommandRunner().run(
            arguments + options(isEncrypted: isEncrypted), input: Array((input.joined(separator: "\n") + "\n").utf8))
    }

    // MARK: Markers

    @Test func `an encrypted database shows nothing of any kind of data, after a kill too`() async throws {
        let mark = "7Rk2qZ"
        // A plain database has each of them: the search would find what is there.
        let plain = try await run(["run", "--upstream", "none"], isEncrypted: false, input: Self.session(mark))
        #expect(plain.status == 0, "\(plain.errorText)")
        #expect(try leaks(of: mark).contains("a.db"))
        for name in try FileManager.default.contentsOfDirectory(atPath: folder.path) where name != "a.key" {
            try FileManager.default.removeItem(atPath: folder.path(name))
        }
        let session = try LiveCommand(["run", "--upstream", "none"] + options(isEncrypted: true))
        let lines = Self.session(mark)
        session.write(Array((lines.joined(separator: "\n") + "\n").utf8))
        let last = #""id":\#(lines.filter { $0.contains("jsonrpc") }.count),"#
        answers: while true {
            guard case .line(let line) = session.next() else {
                Issue.record("the session ended early")
                break
            }
            if String(decoding: line, as: UTF8.self).contains(last) { break answers }
        }
        #expect(try leaks(of: mark) == [])
        session.send(signal: SIGKILL)
        _ = session.finish()
        #expect(try leaks(of: mark) == [])
        #expect(try leaks(of: "SQLite format") == [])
        let export = try await run(["export"], isEncrypted: true)
        #expect(export.outputLines.count == 1_502, "\(export.errorText)")
        #expect(try await run(["verify"], isEncrypted: true).status == 0)
        #expect(try leaks(of: mark) == [])
    }

    // MARK: Erasing

    @Test(arguments: [false, true])
    func `an erased library is in no file any more, and others stay`(isEncrypted: Bool) async throws {
        let (mark, kept) = ("8Wm3xY", "4Hp9vT")
        for lines in [Self.session(mark), Self.session(kept)] {
            let result = try await run(["run", "--upstream", "none"], isEncrypted: isEncrypted, input: lines)
            #expect(result.status == 0, "\(result.errorText)")
        }
        let other = ["--library", "library-\(kept)", "--json"]
        func state() async throws -> [String] {
            var state: [String] = []
            for command in [["export"], ["queries"], ["pending", "list"], ["view", "list"]] {
                let options = command == ["export"] ? Array(other.prefix(2)) : other
                let result = try await run(command + options, isEncrypted: isEncrypted)
                #expect(result.status == 0, "\(command): \(result.errorText)")
                state += result.outputLines
            }
            let quarantine = try await run(["quarantine", "list"], isEncrypted: isEncrypted)
            return state + quarantine.outputLines.filter { $0.contains(kept) }
        }
        let before = try await state()
        #expect(before.contains { $0.contains("payload-\(kept)") })
        let erasure = try await run(["erase", "--library", "library-\(mark)"], isEncrypted: isEncrypted)
        #expect(erasure.status == 0, "\(erasure.errorText)")
        #expect(try leaks(of: "library-\(mark)") == [])
        for kind in [
            "id", "payload", "field", "quarantine", "gone", "list", "input", "tag", "listed", "edit", "new", "edited",
            "send", "request", "view", "rule", "epoch", "many",
        ] {
            #expect(try leaks(of: "\(kind)-\(mark)") == [], "\(kind)")
        }
        #expect(try await state() == before)
        #expect(try await run(["verify"], isEncrypted: isEncrypted).status == 0)
        let again = try await run(["erase", "--library", "library-\(mark)"], isEncrypted: isEncrypted)
        #expect(again.status == 66 && again.errorText.contains("not_found"), "\(again.errorText)")
        // Events of the library begin it anew.
        let line = EventLine.change(#"{"id":"back"}"#, library: "library-\(mark)", sequence: 1)
        #expect(try await run(["ingest"], isEncrypted: isEncrypted, input: [line]).status == 0)
        let back = try await run(["export", "--library", "library-\(mark)"], isEncrypted: isEncrypted)
        #expect(back.outputLines.count == 1, "\(back.outputText)\(back.errorText)")
    }

    @Test(arguments: [false, true])
    func `a session erases a library at once, while it goes on`(isEncrypted: Bool) async throws {
        let (mark, kept) = ("8Wm3xY", "4Hp9vT")
        let first = try await run(["run", "--upstream", "none"], isEncrypted: isEncrypted, input: Self.session(mark))
        #expect(first.status == 0, "\(first.errorText)")
        let session = try LiveCommand(["run", "--upstream", "none"] + options(isEncrypted: isEncrypted))
        func ask(_ method: String, _ params: String) -> String {
            let call = #"{"jsonrpc":"2.0","id":"x","method":"\#(method)","params":{\#(params)}}"#
            session.write(Array((call + "\n").utf8))
            while case .line(let bytes) = session.next() {
                let line = String(decoding: bytes, as: UTF8.self)
                if line.contains(#""id":"x""#) { return line }
            }
            return "no answer"
        }
        session.write(Array((Self.session(kept)[0] + "\n").utf8))
        #expect(ask("cache.erase", #""library_id":"library-\#(mark)""#).contains(#""erased":true"#))
        for kind in ["id", "payload", "quarantine", "input", "edited", "request", "many", "dictionary", "epoch"] {
            #expect(try leaks(of: "\(kind)-\(mark)") == [], "\(kind)")
        }
        #expect(ask("cache.erase", #""library_id":"library-\#(mark)""#).contains(#""erased":false"#))
        let found = ask(
            "entity.get", #""library_id":"library-\#(kept)","resource_type":"type-\#(kept)","id":"id-\#(kept)""#)
        #expect(found.contains("payload-\(kept)"), "\(found)")
        // The session has kept its place in the library's log: the next event counts, and an earlier one does not.
        let again = EventLine.change(
            #"{"id":"again"}"#, library: "library-\(mark)", sequence: 9, epoch: "epoch-\(mark)")
        session.write(Array((again + "\n").utf8))
        let back = EventLine.change(
            #"{"id":"back"}"#, library: "library-\(mark)", sequence: 1_504, epoch: "epoch-\(mark)")
        session.write(Array((back + "\n").utf8))
        #expect(ask("cache.flush", "").contains("result"))
        session.send(signal: SIGKILL)
        _ = session.finish()
        #expect(try leaks(of: "payload-\(mark)") == [])
        let export = try await run(["export"], isEncrypted: isEncrypted)
        #expect(
            export.outputLines.count == 2 && export.outputText.contains("payload-\(kept)")
                && export.outputText.contains(#"{"id":"back"}"#), "\(export.outputText)")
    }

    @Test func `erase needs a library, an existing database and its lock`() async throws {
        #expect(try await run(["erase"], isEncrypted: false).status == 64)
        let missing = try await run(["erase", "--library", "x"], isEncrypted: false)
        #expect(missing.status == 66 && missing.errorText.contains("not_found"), "\(missing.errorText)")
        #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["a.key"])
        let line = EventLine.change(#"{"id":"1"}"#)
        #expect(try await run(["ingest"], isEncrypted: false, input: [line]).status == 0)
        #expect(try await run(["erase", "--library", "x"], isEncrypted: false).status == 66)
        let erasure = try await run(["erase", "--library", "", "--json"], isEncrypted: false)
        #expect(erasure.outputText == "{\"library_id\":\"\",\"erased\":true}\n", "\(erasure.errorText)")
        #expect(try await run(["export"], isEncrypted: false).outputText == "")
    }
}
