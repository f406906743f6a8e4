import Foundation
import TestTraits
import Testing
import TidemarkReferenceModel
import TidemarkTestKit
import TidemarkTesting

#if canImport(Glibc)
    import Glibc
#endif

/// Ingests that are killed. Laws: L5. `TIDEMARK_SCALE=kills=500` sets the number of kills; a failure names the kill,
/// and every run kills at the same places.
@Suite(.pooled(minutes: 600), .tags(.crash, .process)) struct CrashTests {
    /// The number of kills before the next database.
    private static let killsOfOneDatabase = 5

    @Test func `after SIGKILL the database is as the model at its cursor, with everything acknowledged`()
        async throws
    {
        let killCount = TestScale.kills.number ?? 15
        let (stream, log) = streams()
        let lines = log.split(separator: 0x0A).map { Array($0) + [0x0A] }
        var random = SeededGenerator(seed: 1)
        var folder = try TemporaryFolder()
        var state = Recovered()
        for kill in 0..<max(1, killCount) {
            let part = kill % CrashTests.killsOfOneDatabase
            if part == 0 {
                folder = try TemporaryFolder()
                try folder.write(log, to: "log")
                state = Recovered()
            }
            // Each kill comes later in the stream, so that there is always something to write.
            let step = stream.count / CrashTests.killsOfOneDatabase
            let interruption =
                random.below(4) == 0
                ? CommandInterruption(signal: SIGKILL, afterOutputLines: 1)
                : CommandInterruption(signal: SIGKILL, afterInputBytes: part * step + random.below(step))
            try await check(kill: kill + 1, interruption, stream, lines, folder, &state)
            KillProgress.tell(kill + 1, of: killCount, "ingests, the last at cursor \(state.cursor)")
        }
        #expect(state.cursor > 0)
        // The rest of the last database's stream is ingested without a kill.
        #expect(try await ingest(stream, folder).status == 0)
        state.model.ingest([UInt8](joining: Array(lines[state.cursor...])))
        let export = try await CommandRunner().run(["export", "--db", folder.path("a.db")])
        let isEqual = export.output == CrashTests.text(state.model)
        #expect(isEqual)
    }

    /// The recovered state of one database.
    private struct Recovered {
        var cursor = 0
        var acknowledged = 0
        var model = ReferenceModel(configuration: ReferenceConfiguration())
    }

    private func check(
        kill: Int, _ interruption: CommandInterruption, _ stream: [UInt8], _ lines: [[UInt8]],
        _ folder: TemporaryFolder,
        _ state: inout Recovered
    ) async throws {
        let result = try await ingest(stream, folder, interruption)
        #expect(result.status == 128 + SIGKILL, "kill \(kill): \(result.errorText)")
        for line in wholeLines(result.output) {
            state.acknowledged = max(state.acknowledged, try cursors(in: line, "ack").values.max() ?? 0)
        }
        guard FileManager.default.fileExists(atPath: folder.path("a.db")) else {
            #expect(state.acknowledged == 0)
            return
        }
        // A database that was killed while it was made is an empty one for the next writer; readers may refuse it.
        let gaps = try await CommandRunner().run(["gaps", "--db", folder.path("a.db"), "--json"])
        guard gaps.status == 0 || state.acknowledged > 0 else { return }
        #expect(gaps.status == 0, "kill \(kill): \(gaps.errorText)")
        let cursor = try cursors(in: gaps.outputText, nil).values.max() ?? 0
        #expect(
            cursor >= state.acknowledged, "kill \(kill): \(state.acknowledged) was acknowledged, \(cursor) was kept")
        #expect(cursor >= state.cursor, "kill \(kill): the cursor went back from \(state.cursor) to \(cursor)")
        let verify = try await CommandRunner().run(["verify", "--db", folder.path("a.db")])
        #expect(verify.status == 0, "kill \(kill): \(verify.outputText)")
        state.model.ingest([UInt8](joining: Array(lines[state.cursor..<max(state.cursor, cursor)])))
        state.cursor = cursor
        let export = try await CommandRunner().run(["export", "--db", folder.path("a.db")])
        #expect(export.status == 0)
        // The comparison is a Bool, because a message with both texts would fill pages.
        let isEqual = export.output == CrashTests.text(state.model)
        #expect(isEqual, "kill \(kill): the entities at cursor \(cursor) are not the model's")
    }

    private func ingest(
        _ stream: [UInt8], _ folder: TemporaryFolder, _ interruption: CommandInterruption? = nil
    ) async throws -> CommandResult {
        try await CommandRunner().run(
            ["ingest", "--db", folder.path("a.db"), "--ack", "--upstream", "file:" + folder.path("log")], input: stream,
            interruption: interruption)
    }

    /// Returns the stream with its faults, and the clean log of the same events: line n is sequence n.
    private func streams() -> (stream: [UInt8], log: [UInt8]) {
        var settings = SyntheticSettings()
        settings.entityCount = 1_500
        settings.updatesPerEntity = 3
        settings.deleteShare = Share(partsPerMillion: 20_000)
        settings.mergeShare = Share(partsPerMillion: 50_000)
        settings.batchShare = Share(partsPerMillion: 10_000)
        settings.batchMemberCount = 20
        settings.gapRate = Share(partsPerMillion: 2_000)
        settings.disorderRate = Share(partsPerMillion: 20_000)
        settings.duplicateRate = Share(partsPerMillion: 20_000)
        settings.badLineRate = Share(partsPerMillion: 2_000)
        var generator = SyntheticStream(settings)
        var (stream, log): ([UInt8], [UInt8]) = ([], [])
        while let chunk = generator.nextChunk(includingLog: true) {
            stream += chunk.stream
            log += chunk.log
        }
        return (stream, log)
    }

    private static func text(_ model: ReferenceModel) -> [UInt8] {
        model.exportLines().reduce(into: []) { $0 += $1 + [0x0A] }
    }

    /// Returns the complete lines: a kill may cut the last line, and a cut line was not reported.
    private func wholeLines(_ output: [UInt8]) -> [String] {
        let end = output.lastIndex(of: 0x0A) ?? 0
        return output[..<end].split(separator: 0x0A).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns sequences by library, from an acknowledgement or from the output of `gaps`.
    private func cursors(in text: String, _ member: String?) throws -> [String: Int] {
        var object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        if let member { object = try #require(object[member] as? [String: Any]) }
        let libraries = try #require(object["libraries"] as? [String: Any])
        return libraries.compactMapValues { value in
            value as? Int ?? (value as? [String: Any])?["sequence"] as? Int
        }
    }
}
