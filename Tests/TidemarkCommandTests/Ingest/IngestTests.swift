import Foundation
import TestTraits
import Testing
import TidemarkTestKit
import TidemarkTesting

#if canImport(Glibc)
    import Glibc
#endif

@Suite(.pooled, .tags(.process)) struct IngestTests {
    @Test func `the first run prints the output of the README`() async throws {
        let folder = try TemporaryFolder()
        let result = try await ingest(try firstRun(), into: folder)
        #expect(result.status == 0)
        #expect(result.outputLines.count == 1)
        let expected =
            "{\"lines\":12,\"events\":{\"applied\":8,\"duplicate\":1,\"ignored\":1,\"quarantined\":1,\"held\":0},"
            + "\"members_quarantined\":1,\"reconciled\":0,\"late\":0,\"blank\":1,\"control\":0,\"messages\":0,\"entities\":5,"
            + "\"libraries\":{\"home\":{\"epoch\":\"\",\"sequence\":9,\"state\":\"stale\",\"lost\":[[8,8]]}},\"seconds\":"
        #expect(result.outputText.hasPrefix(expected))
        let merged = try await CommandRunner().run(["get", "--db", folder.path("a.db"), "album:summer"])
        #expect(merged.outputText == "{\"id\":\"summer\",\"name\":\"Summer\",\"cover\":\"p1\",\"size\":1.10}\n")
        let absent = try await CommandRunner().run(["get", "--db", folder.path("a.db"), "photo:p3", "--json"])
        #expect(
            absent.outputText
                == "{\"entity\":null,\"pending\":false,\"sequence\":null,\"stale\":false,\"miss\":\"deleted\"}\n")
        let listed = try await CommandRunner().run(["list", "--db", folder.path("a.db"), "--limit", "2", "--json"])
        #expect(
            listed.outputText
                == "{\"entities\":[{\"id\":\"summer\",\"name\":\"Summer\",\"cover\":\"p1\",\"size\":1.10},"
                + "{\"id\":\"winter\",\"name\":\"Winter\",\"cover\":null}],\"next\":\"album:winter\"}\n")
    }

    @Test func `a faulty stream with its log beside it ends as the log does`() async throws {
        var settings = SyntheticSettings()
        settings.entityCount = 500
        settings.updatesPerEntity = 4
        settings.libraryCount = 2
        settings.typeCount = 3
        settings.batchShare = Share(partsPerMillion: 10_000)
        settings.deleteShare = Share(partsPerMillion: 20_000)
        settings.mergeShare = Share(partsPerMillion: 50_000)
        settings.gapRate = Share(partsPerMillion: 20_000)
        settings.disorderRate = Share(partsPerMillion: 20_000)
        settings.duplicateRate = Share(partsPerMillion: 20_000)
        settings.badLineRate = Share(partsPerMillion: 5_000)
        settings.heartbeatInterval = 100
        var generator = SyntheticStream(settings)
        var (stream, log): ([UInt8], [UInt8]) = ([], [])
        while let chunk = generator.nextChunk(includingLog: true) {
            stream += chunk.stream
            log += chunk.log
        }
        let (faulty, clean) = (try TemporaryFolder(), try TemporaryFolder())
        let logPath = try clean.write(log, to: "log")
        let summary = try await ingest(stream, into: faulty, ["--upstream", "file:" + logPath])
        #expect(summary.status == 0)
        #expect(try await ingest(log, into: clean).status == 0)
        let exports = try await (export(faulty), export(clean))
        #expect(!exports.0.isEmpty)
        // The comparison is a Bool, because a message with both texts would fill pages.
        let isEqual = exports.0 == exports.1
        #expect(isEqual)
        let object = try json(summary.outputText)
        #expect(object["lines"] as? Int == generator.counts.lines)
        let bins = try #require(object["events"] as? [String: Int])
        #expect(bins.values.reduce(0, +) == generator.counts.lines)
    }

    @Test func `an entity that would exceed 16 MiB keeps its value, and the run continues`() async throws {
        let folder = try TemporaryFolder()
        func line(_ sequence: Int, _ field: String, count: Int, _ rest: String = "") -> [UInt8] {
            Array(
                (#"{"library_id":"home","sequence":\#(sequence),"event":{"ResourceChanged":{"resource_type":"photo","#
                    + #""resource":{"id":"p1","\#(field)":""#).utf8)
                + [UInt8](repeating: UInt8(ascii: "s"), count: count) + Array("\"}\(rest)}}}\n".utf8)
        }
        // The first line is 400 bytes below the limit; the second one adds 500.
        let first = line(1, "a", count: 0).count - 1
        let stream =
            line(1, "a", count: (16 << 20) - 400 - first) + line(2, "b", count: 500, #","metadata":{}"#)
            + line(3, "b", count: 5, #","metadata":{}"#)
        let result = try await ingest(stream, into: folder)
        #expect(result.status == 0, "\(result.errorText.suffix(1_000))")
        let summary = try json(result.outputText)
        let bins = try #require(summary["events"] as? [String: Int])
        #expect(bins["applied"] == 2 && bins["quarantined"] == 1)
        #expect(result.outputText.contains(#""sequence":3,"state":"stale","lost":[[2,2]]"#))
        let list = try await CommandRunner().run(["quarantine", "list", "--db", folder.path("a.db"), "--json"])
        #expect(list.outputText.contains(#""reason":"too_large","line":2"#), "\(list.outputText.prefix(300))")
        let entity = try await CommandRunner().run(["get", "--db", folder.path("a.db"), "photo:p1"])
        let isMerged = entity.outputText.hasSuffix(#"s","b":"sssss"}"# + "\n")
        #expect(isMerged)
        #expect(try await CommandRunner().run(["verify", "--db", folder.path("a.db")]).status == 0)
    }

    @Test func `the last acknowledgement covers the last line`() async throws {
        let folder = try TemporaryFolder()
        let result = try await ingest(try firstRun(), into: folder, ["--ack"])
        let acknowledgements = result.outputLines.dropLast()
        let last = try #require(acknowledgements.last)
        #expect(last == "{\"ack\":{\"lines\":12,\"libraries\":{\"home\":9}}}")
    }

    @Test(arguments: [SIGINT, SIGTERM])
    func `after a signal no more is read, and everything read is written`(signal: Int32) async throws {
        let folder = try TemporaryFolder()
        let result = try await CommandRunner().run(
            ["ingest", "--db", folder.path("a.db"), "--ack"], input: try firstRun(),
            interruption: CommandInterruption(signal: signal, afterOutputLines: 1))
        #expect(result.status == 0)
        let summary = try json(try #require(result.outputLines.last))
        #expect(summary["interrupted"] as? Bool == true)
        #expect(summary["lines"] as? Int == 12)
    }

    @Test func `strict runs end with 65 after everything was applied`() async throws {
        let folder = try TemporaryFolder()
        let result = try await ingest(try firstRun(), into: folder, ["--strict"])
        #expect(result.status == 65)
        #expect(result.outputLines.count == 1)
        #expect(result.errorText.hasPrefix("tidemark: bad_lines: 1 line and 1 batch member could not be used; "))
    }

    private func ingest(
        _ bytes: [UInt8], into folder: TemporaryFolder, _ options: [String] = []
    ) async throws -> CommandResult {
        try await CommandRunner().run(["ingest", "--db", folder.path("a.db")] + options, input: bytes)
    }

    private func export(_ folder: TemporaryFolder) async throws -> String {
        let result = try await CommandRunner().run(["export", "--db", folder.path("a.db")])
        #expect(result.status == 0)
        // Sequences differ where an upstream's copy and the stream's copy are the same event; the line has them too.
        return result.outputText
    }

    private func json(_ text: String) throws -> [String: Any] {
        try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    }

    private func firstRun() throws -> [UInt8] {
        let path = #filePath.replacing("Tests/TidemarkCommandTests/Ingest/IngestTests.swift", with: "")
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: path + "docs/examples/first-run.ndjson")))
    }
}
