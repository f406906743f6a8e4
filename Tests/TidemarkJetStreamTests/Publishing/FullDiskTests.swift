import Foundation
import TestTraits
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkModel
import TidemarkSQLite
import TidemarkTestKit
import TidemarkTesting

@testable import TidemarkJetStream

/// A full disk of the cache, and a server without room, while a stream is read and published.
@Suite(
    .pooled, .tags(.process), .ownThreads,
    .enabled(if: NatsServer.program != nil, NatsServer.advice))
struct FullDiskTests {
    private let folder: TemporaryFolder

    init() throws { folder = try TemporaryFolder() }

    /// The body of a change of one of many files, of about 4 KB that hardly compress.
    private func large(_ id: Int) -> String {
        var random = SeededGenerator(seed: UInt64(id))
        let text = String(decoding: (0..<4_000).map { _ in UInt8(97 + random.below(26)) }, as: UTF8.self)
        return EventLine.change(#"{"id":"\#(id)","text":"\#(text)"}"#)
    }

    @Test func `a full disk of the cache stops the reading at its bounds, and nothing is lost when there is room`()
        async throws
    {
        let server = try NatsServer()
        try server.makeStream("EVENTS")
        let count = 3_000
        try server.publish((1...count).map { large($0) }, to: "tidemark.me")
        let disk = try FaultDisk(folder: folder.path)
        var configuration = CacheConfiguration()
        configuration.flush.byteCountMax = 256 << 10
        let cache = try await SyncCache.open(
            configuration: configuration, journal: try await SQLiteJournal.open(path: folder.path("cache.db")))
        let feed = JetStreamFeed(try JetStreamAddress(server.address("EVENTS")))
        disk.plan(.full, at: disk.changeCount + 1, count: .max, seed: 1)
        let running = Task { try await feed.run(into: cache) }
        #expect(await eventually { await cache.storageError?.code == .diskFull })
        // The reading stands still when nothing was read in a second.
        var (read, still) = (Int64(-1), 0)
        let hasStopped = await eventually {
            let now = feed.statistics.messageCount
            (read, still) = now == read ? (read, still + 1) : (now, 0)
            return still > 100
        }
        #expect(hasStopped)
        #expect(read > 0 && read < count, "\(read) messages were read")
        // Unwritten events, and those that were read ahead of them.
        #expect(feed.statistics.byteCount < 256 << 10 + 4 << 20)
        // Reads go on meanwhile.
        guard case .found = try await cache.entity(EntityKey(library: "a", type: "file", id: "1")) else {
            Issue.record("the first entity is not served")
            return
        }
        disk.heal()
        #expect(await eventually { feed.statistics.sequence == count })
        feed.stop()
        try await running.value
        #expect(await cache.entityCount() == Int64(count))
        let counts = await cache.counts()
        #expect(counts.applied == count && counts.duplicate == 0 && counts.quarantined == 0)
        try await cache.close()
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make a small disk"))
    func `ingest ends with 74 on a full disk, and begins behind its cursor when there is room`() async throws {
        let server = try NatsServer()
        try server.makeStream("EVENTS")
        try server.publish((1...1_500).map { large($0) }, to: "tidemark.me")
        let ingest =
            "\(try CommandRunner().executable) ingest --db disk/cache.db --from \(server.address("EVENTS")) --until-caught-up"
        // The folder is a disk for this script alone, and is gone with it.
        let script = """
            cd \(folder.path) && mkdir disk && mount -t tmpfs -o size=3m none disk
            \(ingest) > /dev/null; echo "first $?"
            mount -o remount,size=100m disk
            \(ingest); echo "second $?"
            """
        let result = try await CommandRunner(executable: "/usr/bin/unshare").run(["-m", "/bin/sh", "-c", script])
        #expect(result.outputText.contains("first 74") && result.errorText.contains("disk_full"), "\(result.errorText)")
        #expect(result.outputText.contains("second 0"), "\(result.errorText)")
        #expect(result.outputText.contains(#""entities":1500"#), "\(result.outputText)")
    }

    @Test func `a server without room keeps its readers, and takes the rest when it has some`() async throws {
        let server = try NatsServer(limits: "max_mem: 1MB, max_file: 2MB")
        try server.makeStream("EVENTS")
        let lines = (1...900).map { #"{"library_id":"a","sequence":\#($0),"event":\#(large($0))}"# + "\n" }.joined()
        let runner = try CommandRunner()
        let full = try await runner.run(["publish", "--to", server.address("EVENTS")], input: Array(lines.utf8))
        #expect(full.status == 69 && full.errorText.contains("stream_full"), "\(full.errorText)")
        #expect(full.errorText.contains("the lines up to "), "\(full.errorText)")
        let ingest = [
            "ingest", "--db", folder.path("cache.db"), "--from", server.address("EVENTS"), "--until-caught-up",
        ]
        let first = try await runner.run(ingest)
        #expect(first.status == 0, "\(first.errorText)")
        server.kill(SIGTERM)
        server.limits = "max_mem: 1MB, max_file: 100MB"
        try server.start()
        let rest = try await runner.run(["publish", "--to", server.address("EVENTS")], input: Array(lines.utf8))
        #expect(rest.status == 0, "\(rest.errorText)")
        let second = try await runner.run(ingest)
        #expect(second.status == 0 && second.outputText.contains(#""entities":900"#), "\(second.outputText)")
        // Each line is there once: what was there before is recognized.
        #expect(second.outputText.contains(#""duplicate":0"#), "\(second.outputText)")
    }
}
