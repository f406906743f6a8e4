import Foundation
import TestTraits
import Testing
import TidemarkModel
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

#if canImport(Glibc)
    import Glibc
#endif

/// Indexes on the command line: `--index`, `list --where --order`, `facets`.
@Suite(.pooled, .tags(.process)) struct IndexTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    private func run(_ arguments: [String], input: String = "") async throws -> CommandResult {
        try await CommandRunner().run(arguments + ["--db", folder.path("a.db")], input: Array(input.utf8))
    }

    private func line(_ id: String, _ fields: String, library: String = "") -> String {
        EventLine.change(#"{"id":"\#(id)",\#(fields)}"#, library: library) + "\n"
    }

    private var files: String {
        line("a", #""kind":"image","size":10"#) + line("b", #""kind":"video","size":9007199254740993"#)
            + line("c", #""kind":"image","size":2.50"#) + line("d", #""kind":null"#) + line("e", #""size":1e1"#)
    }

    private let plans = (
        size: #""plan":{"method":"walk","index":"file./size""#, scan: #""plan":{"method":"scan","index":null,"read":5}"#
    )

    @Test func `a list by a condition and an order is the same with and without an index`() async throws {
        #expect(try await run(["ingest"], input: files).status == 0)
        let arguments = ["list", "--type", "file", "--order", "/size:desc", "--limit", "3", "--json"]
        let scanned = try await run(arguments)
        #expect(
            scanned.outputText == #"{"entities":[{"id":"b","kind":"video","size":9007199254740993},"#
                + #"{"id":"a","kind":"image","size":10},{"id":"e","size":1e1}],"next":"file:e",\#(plans.scan)}"# + "\n")
        #expect(try await run(["ingest", "--index", "file./size", "--index", "file./kind"]).status == 0)
        let walked = try await run(arguments)
        #expect(
            walked.outputText == scanned.outputText.replacing(plans.scan, with: #"\#(plans.size),"read":4}"#))
        let rest = try await run(arguments + ["--after", "file:e"])
        #expect(
            rest.outputText
                == #"{"entities":[{"id":"c","kind":"image","size":2.50},{"id":"d","kind":null}],"next":null,"#
                + #"\#(plans.size),"read":2}}"# + "\n")
        let images = try await run(
            ["list", "--type", "file", "--where", #"{"path":"/kind", "eq":"image"}"#, "--json"])
        #expect(
            images.outputText
                == #"{"entities":[{"id":"a","kind":"image","size":10},{"id":"c","kind":"image","size":2.50}],"#
                + #""next":null,"plan":{"method":"walk","index":"file./kind","read":2}}"# + "\n")
    }

    @Test func `facets count every value, with and without an index`() async throws {
        #expect(try await run(["ingest"], input: files).status == 0)
        let scanned = try await run(["facets", "file", "/size", "--json"])
        #expect(
            scanned.outputText == #"{"values":[{"value":10,"count":2},{"value":2.5,"count":1},"#
                + #"{"value":9007199254740993,"count":1}],"missing":1,"distinct":3,"entities":5,\#(plans.scan)}"# + "\n"
        )
        #expect(try await run(["ingest", "--index", "file./size"]).status == 0)
        let counted = try await run(["facets", "file", "/size", "--json"])
        #expect(
            counted.outputText == scanned.outputText.replacing(plans.scan, with: #"\#(plans.size),"read":0}"#))
        let people = try await run(["facets", "file", "/kind", "--limit", "1"])
        #expect(
            people.outputText == """
                COUNT  VALUE
                    2  "image"
                2 values more: raise --limit
                1 entity without the field
                5 entities read: an index (ingest --index file./kind) would avoid that

                """)
        let some = try await run(["facets", "file", "/kind", "--where", #"{"path":"/size","lt":100}"#, "--json"])
        #expect(
            some.outputText.hasPrefix(
                #"{"values":[{"value":"image","count":2}],"missing":1,"distinct":1,"entities":3,"#))
        #expect(try await run(["facets", "nothing", "/kind"]).outputText == "No entities.\n")
    }

    @Test func `libraries are listed one after the other, and a page continues in the middle`() async throws {
        let lines =
            line("x", #""n":1"#, library: "b") + line("y", #""n":2"#, library: "b") + line("z", #""n":3"#, library: "a")
        #expect(try await run(["ingest", "--index", "file./n"], input: lines).status == 0)
        let arguments = ["list", "--type", "file", "--order", "/n:desc", "--json", "--limit", "2"]
        let first = try await run(arguments)
        #expect(
            first.outputText.contains(#"[{"id":"z","n":3},{"id":"y","n":2}],"next":"file:y","next_library_id":"b""#))
        let second = try await run(arguments + ["--after", "file:y", "--after-library", "b"])
        #expect(second.outputText.contains(#"[{"id":"x","n":1}],"next":null"#))
    }

    @Test(arguments: [
        (["list", "--where", "{}"], "--where and --order need --type"),
        (["list", "--type", "file", "--where", "{"], "--where is not JSON"),
        (
            ["list", "--type", "file", "--where", #"{"path":"/a","is":1}"#],
            "tidemark: usage: --where has a member"
        ),
        (
            ["list", "--type", "file", "--order", "size"],
            "/0/path of --order does not begin with a slash"
        ),
        (["list", "--type", "file", "--order", "/size", "--after", "file:none"], "file:none is not stored"),
        (["list", "--type", "file", "--order", "/size:DESC"], "--order /size:DESC ends without a direction"),
        (["list", "--type", "file", "--order", "/size:down"], "--order /size:down ends without a direction"),
        (["facets", "file", "/size", "--where", #"{"all":[{"path":"x","eq":1}]}"#], "/all/0/path of --where does not"),
        (["facets", "file", "size"], "the pointer size does not begin with a slash"),
        (["facets", "file", "/size", "--limit", "0"], "--limit takes 1 to 100000"),
        (["ingest", "--index", "file"], "The value 'file' is invalid for '--index"),
        (["ingest", "--index", "file./a", "--drop-index", "file./a"], "file./a is named by --index and --drop-index"),
    ])
    func `options that make no sense are refused with advice`(arguments: [String], message: String) async throws {
        #expect(try await run(["ingest"], input: files).status == 0)
        let result = try await run(arguments)
        #expect(result.status == 64, "\(result.errorText)")
        #expect(result.errorText.contains(message), "\(result.errorText)")
        #expect(result.output == [])
    }

    @Test func `after SIGKILL the indexes agree with the entities`() async throws {
        var settings = SyntheticSettings()
        settings.entityCount = 1_500
        settings.updatesPerEntity = 4
        settings.deleteShare = Share(partsPerMillion: 100_000)
        var generator = SyntheticStream(settings)
        var stream: [UInt8] = []
        while let chunk = generator.nextChunk(includingLog: false) { stream += chunk.stream }
        let lines = stream.split(separator: 0x0A)
        let path = folder.path("a.db")
        let predicate = #"{"path":"/kind","in":["image","audio"]}"#
        for kill in 0..<6 {
            // The index is declared in the middle, over existing entities.
            let indexes = kill < 2 ? [] : ["--index", "file./kind", "--index", "file./size"]
            // Every run reads the stream from its beginning: events that were applied are duplicates.
            let result = try await CommandRunner().run(
                ["ingest", "--db", path, "--ack", "--max-entities", "1200"] + indexes, input: stream,
                interruption: CommandInterruption(signal: SIGKILL, afterInputBytes: stream.count * (kill + 1) / 8))
            #expect(result.status == 128 + SIGKILL)
            guard FileManager.default.fileExists(atPath: path) else { continue }
            let verified = try await CommandRunner().run(["verify", "--db", path, "--json"])
            #expect(verified.status == 0, "kill \(kill): \(verified.outputText)\(verified.errorText)")
            try await compare(path, predicate, "kill \(kill) of \(lines.count) lines")
        }
        #expect(try await CommandRunner().run(["ingest", "--db", path], input: stream).status == 0)
        let last = try await run([
            "list", "--type", "file", "--where", #"{"path":"/kind","eq":"image"}"#, "--limit", "1", "--json",
        ])
        #expect(last.outputText.contains(#""plan":{"method":"walk","index":"file./kind","read":2}"#))
        try await compare(path, predicate, "whole")
    }

    private func compare(_ path: String, _ predicate: String, _ message: String) async throws {
        let rule = ReferenceMembership(
            rule: try ReferenceJSONParser.parse(
                Array(#"{"where":\#(predicate),"order":[{"path":"/size","direction":"desc"}]}"#.utf8)))
        let export = try await CommandRunner().run(["export", "--db", path])
        let resources = try export.output.split(separator: 0x0A).map { line in
            let record = try ReferenceJSONParser.parse(Array(line))
            let resource = try #require(record.member("resource"))
            return (id: record.member("id")?.text ?? [], resource: resource)
        }
        let wanted = rule.list(of: resources).map { String(decoding: $0, as: UTF8.self) }
        let listed = try await CommandRunner().run([
            "list", "--db", path, "--type", "file", "--where", predicate, "--order", "/size:desc", "--limit", "5000",
            "--json",
        ])
        let page = try #require(try JSONSerialization.jsonObject(with: Data(listed.output)) as? [String: Any])
        let entities = try #require(page["entities"] as? [[String: Any]])
        #expect(entities.compactMap { $0["id"] as? String } == wanted, "\(message)")
    }
}
