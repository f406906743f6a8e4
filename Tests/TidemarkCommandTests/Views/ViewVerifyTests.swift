import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// `verify`, `verify --repair`, `doctor` and `stats` on a database with defined views.
///
/// Source: Protocol/views.md, defined views.
@Suite(.pooled, .tags(.process)) struct ViewVerifyTests {
    private let folder: TemporaryFolder
    private var path: String { folder.path("a.db") }

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: [String], input: String = "") async throws -> CommandResult {
        try await CommandRunner().run(arguments + ["--db", path], input: Array(input.utf8))
    }

    /// Two issues of a project, and views of them; `titles` shows the first row alone.
    private func define() async throws {
        let lines =
            [
                EventLine.change(#"{"id":"i1","title":"Tide","project":"p1"}"#, type: "issue"),
                EventLine.change(#"{"id":"i2","title":"Wave","project":"p1"}"#, type: "issue"),
                EventLine.change(#"{"id":"p1","name":"Sea"}"#, type: "project"),
            ].joined(separator: "\n") + "\n"
        #expect(try await run(["ingest"], input: lines).status == 0)
        let titles = #"{"from":"issue","select":{"t":"issue/title"},"order":[{"path":"issue/title"}],"limit":1}"#
        let counts = #"{"from":"issue","group":{"project":"issue/project"},"aggregates":{"n":{"count":true}}}"#
        let named = #"{"from":"issue","where":{"path":"issue/title","eq":{"param":"t"}}}"#
        for (name, rule) in [("titles", titles), ("counts", counts), ("named", named)] {
            #expect(try await run(["view", "define", name, "--view", rule]).status == 0)
        }
    }

    private func records(_ kind: ByteString) throws -> [ByteString: [UInt8]] {
        try SQLiteReader(path: path).records(of: kind)
    }

    private func write(_ changes: [RecordChange]) async throws {
        let journal = try await SQLiteJournal.open(path: path)
        _ = try await journal.recover()
        var flush = FlushBatch()
        flush.attached = changes
        try await journal.commit(flush)
        try await journal.close()
    }

    private func text(_ result: CommandResult) -> String { result.outputText + result.errorText }

    @Test func `stored results that are right pass, and are counted`() async throws {
        try await define()
        #expect(try records("view-result").count == 2)
        let verified = try await run(["verify", "--json"])
        #expect(verified.status == 0, "\(text(verified))")
        #expect(verified.outputText.contains(#""views":2,"problem_count":0"#), "\(verified.outputText)")
        #expect(try await run(["verify"]).outputText.contains("and 2 results of views read, nothing wrong found"))
        let repaired = try await run(["verify", "--repair"])
        #expect(repaired.outputText.hasPrefix("nothing to repair"), "\(text(repaired))")
        #expect(try records("view-result").count == 2)
        let doctor = try await run(["doctor", "--json"])
        #expect(doctor.outputText.contains(#""code":"views""#), "\(doctor.outputText)")
        #expect(doctor.outputText.contains("3 views are defined, 2 rows of"), "\(doctor.outputText)")
        let stats = try await run(["stats", "--json"])
        #expect(stats.outputText.contains(#""views":3,"view_rows":2,"view_bytes":"#), "\(stats.outputText)")
        #expect(try await run(["stats"]).outputText.contains("2 rows of"))
    }

    @Test func `results of pending edits and of the window alone are right, too`() async throws {
        try await define()
        let edit =
            #"{"jsonrpc":"2.0","id":1,"method":"optimistic.update","params":{"pending_id":"e","changes":[{"op":"patch","#
            + #""resource_type":"issue","id":"i2","fields":{"title":"Calm","project":"p2"}}]}}"#
        // A read waits until the view is computed, so that the session writes it before it ends.
        let reads = ["titles", "counts"].map {
            #"{"jsonrpc":"2.0","id":2,"method":"view.read","params":{"view":"\#($0)"}}"#
        }
        let input = ([edit] + reads).joined(separator: "\n") + "\n"
        #expect(try await run(["run", "--upstream", "none"], input: input).status == 0)
        #expect(try records("view-result").values.contains { String(decoding: $0, as: UTF8.self).contains("Calm") })
        let verified = try await run(["verify"])
        #expect(verified.status == 0, "\(text(verified))")
        #expect(verified.outputText.contains("2 results of views"))
    }

    @Test(arguments: [
        (#""Tide""#, #""Tidy""#, "the stored row 0 is"),
        (#""issue:i1""#, #""issue:i2""#, "has the key"),
        (#""total":2"#, #""total":3"#, "has 3 rows in all, and its entities give 2"),
        (#""cut":true"#, #""cut":false"#, "1 rows are stored"),
        (#"{"total""#, #"{"totals""#, "its stored rows cannot be read"),
        (#"{"total""#, #"{total""#, "its stored rows cannot be read"),
    ])
    func `a wrong result is found, and a repair removes it alone`(old: String, new: String, said: String) async throws {
        try await define()
        let key: ByteString = "0:titles"
        let body = String(decoding: try #require(try records("view-result")[key]), as: UTF8.self)
        let wrong = body.replacing(old, with: new)
        #expect(wrong != body)
        try await write([RecordChange(kind: "view-result", key: key, body: Array(wrong.utf8))])
        let verified = try await run(["verify"])
        #expect(verified.status == 65)
        #expect(verified.outputText.contains("view \"titles\" of library \"\": "), "\(text(verified))")
        #expect(verified.outputText.contains(said), "\(text(verified))")
        let repaired = try await run(["verify", "--repair", "--json"])
        #expect(repaired.status == 0, "\(text(repaired))")
        #expect(repaired.outputText.contains(#""found":1,"moved_to":null"#), "\(text(repaired))")
        #expect(repaired.outputText.contains("removed the stored result of a view"))
        #expect(try records("view-result")["0:counts"] != nil)
        #expect(try records("view").count == 3)
        let read = #"{"jsonrpc":"2.0","id":1,"method":"view.read","params":{"view":"titles"}}"# + "\n"
        let answer = try await run(["run", "--upstream", "none"], input: read)
        #expect(answer.outputText.contains(#""rows":[{"t":"Tide"}]"#), "\(text(answer))")
        #expect(try await run(["verify"]).status == 0)
        // The session may have ended before it wrote the computed rows.
        let stored = try records("view-result")[key]
        #expect(stored == nil || stored == Array(body.utf8))
    }

    @Test func `a result without a view, and a rule that cannot be read, are found and removed`() async throws {
        try await define()
        let body = try #require(try records("view-result")["0:titles"])
        try await write([
            RecordChange(kind: "view-result", key: "0:gone", body: body),
            RecordChange(kind: "view-result", key: "gone", body: body),
            RecordChange(kind: "view-result", key: "0:named", body: body),
            RecordChange(kind: "view", key: "0:odd", body: Array(#"{"form":"issue"}"#.utf8)),
        ])
        let verified = try await run(["verify", "--json"])
        #expect(verified.status == 65)
        #expect(verified.outputText.contains(#""problem_count":4"#), "\(verified.outputText)")
        for said in ["no view is defined", "its record is damaged", "a view with parameters", "rule cannot be read"] {
            #expect(verified.outputText.contains(said), "\(said): \(verified.outputText)")
        }
        #expect(try await run(["verify", "--repair"]).status == 0)
        #expect(try await run(["verify"]).status == 0)
        #expect(try records("view").keys.sorted() == ["0:counts", "0:named", "0:titles"])
    }

    @Test func `beside a writer there is no false alarm`() async throws {
        try await define()
        let reading = Task {
            var statuses: [Int32] = []
            for _ in 0..<4 { statuses.append(try await run(["verify"]).status) }
            return statuses
        }
        let lines = (0..<8_000).map { number in
            EventLine.change(
                #"{"id":"i\#(number % 40)","title":"\#(number)","project":"p\#(number % 3)"}"#, type: "issue")
        }
        let written = try await run(["run", "--upstream", "none"], input: lines.joined(separator: "\n") + "\n")
        #expect(written.status == 0)
        #expect(try await reading.value == [0, 0, 0, 0])
        #expect(try await run(["verify"]).status == 0)
    }
}
