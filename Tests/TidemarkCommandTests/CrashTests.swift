import Foundation
import Testing
import TidemarkTesting

#if canImport(Glibc)
    import Glibc
#endif

/// Laws: L5. `TIDEMARK_KILLS` says how often; a failure names the kill, and the seed is the same every time.
@Suite struct CrashTests {
    @Test func `what was acknowledged outlives SIGKILL, and the end is as if nothing had happened`() async throws {
        let killCount = Int(ProcessInfo.processInfo.environment["TIDEMARK_KILLS"] ?? "") ?? 2
        var settings = SyntheticSettings()
        settings.entityCount = 3_000
        settings.updatesPerEntity = 3
        settings.deleteShare = Share(partsPerMillion: 20_000)
        settings.mergeShare = Share(partsPerMillion: 50_000)
        settings.batchShare = Share(partsPerMillion: 10_000)
        settings.batchMemberCount = 20
        var generator = SyntheticStream(settings)
        var stream: [UInt8] = []
        while let chunk = generator.nextChunk() { stream += chunk.stream }

        let folder = try TemporaryFolder()
        let killed = folder.path("killed.db")
        var random = SeededGenerator(seed: 1)
        var acknowledged = 0
        for kill in 1...max(1, killCount) {
            // Cut anywhere, inside a line too; the first acknowledgement comes while the rest is under way.
            let prefix = Array(stream.prefix(1_000 + random.below(stream.count - 1_000)))
            let result = try await CommandRunner().run(
                ["ingest", "--db", killed, "--ack"], input: prefix,
                interruption: CommandInterruption(signal: SIGKILL, afterOutputLines: 1))
            #expect(result.status == 128 + SIGKILL)
            for line in result.outputLines where line.hasPrefix("{\"ack\"") {
                acknowledged = max(acknowledged, try cursors(in: line, "ack").values.max() ?? 0)
            }
            let gaps = try await CommandRunner().run(["gaps", "--db", killed, "--json"])
            let kept = try cursors(in: gaps.outputText, nil).values.max() ?? 0
            #expect(kept >= acknowledged, "kill \(kill): \(acknowledged) was acknowledged, \(kept) was kept")
            let check = try await CommandRunner().run(["verify", "--db", killed])
            #expect(check.status == 0, "kill \(kill): \(check.outputText)")
        }
        #expect(try await CommandRunner().run(["ingest", "--db", killed], input: stream).status == 0)
        let whole = folder.path("whole.db")
        #expect(try await CommandRunner().run(["ingest", "--db", whole], input: stream).status == 0)
        let exports = try await (
            CommandRunner().run(["export", "--db", killed]), CommandRunner().run(["export", "--db", whole])
        )
        #expect(exports.0.outputLines.count > 2_000)
        #expect(exports.0.status == 0)
        #expect(exports.0.errorText == "")
        // As a Bool: the whole of both would be megabytes of message.
        let isEqual = exports.0 == exports.1
        #expect(isEqual)
    }

    /// Library to sequence, from an acknowledgement or from what `gaps` prints.
    private func cursors(in text: String, _ member: String?) throws -> [String: Int] {
        var object = try #require(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
        if let member { object = try #require(object[member] as? [String: Any]) }
        let libraries = try #require(object["libraries"] as? [String: Any])
        return libraries.compactMapValues { value in
            value as? Int ?? (value as? [String: Any])?["sequence"] as? Int
        }
    }
}
