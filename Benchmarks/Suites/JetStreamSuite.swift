import Foundation
import Tidemark
import TidemarkJetStream
import TidemarkModel
import TidemarkSQLite
import TidemarkJSON

/// The cost of following a stream: reading, applying and writing its messages. The reference is a consumer that only
/// receives them.
enum JetStreamSuite {
    /// The path of the NATS server; nil if it is not installed, and then nothing is measured.
    static let program = ["/usr/sbin/nats-server", "/usr/bin/nats-server", "/usr/local/bin/nats-server"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        guard let program else { return }
        let folder = try ScratchFolder()
        let process = Process()
        process.executableURL = URL(fileURLWithPath: program)
        process.arguments = [
            "-js", "-sd", folder.path("store"), "-p", "-1", "--ports_file_dir", folder.path("."), "-l",
            folder.path("log"),
        ]
        try process.run()
        defer {
            process.terminate()
            process.waitUntilExit()
        }
        let port = try port(folder.path("nats-server_\(process.processIdentifier).ports"))
        let address = try JetStreamAddress("nats://127.0.0.1:\(port)/EVENTS")
        _ = try await StreamAdministration(address).create(StreamConfiguration())
        let workload = Workload(entityCount: isSmoke ? 500 : 200_000, eventsPerEntity: 5)
        var publisher = try StreamPublisher(address, PublishSettings(), isStopped: { false })
        try workload.decode { try publisher.publish($0) }
        try publisher.finish()
        report.add(
            try await Measurement.compare(
                "read and apply", count: workload.lineCount, runs: runs, goal: 1.43, referenceName: "bare consumer",
                reference: { try received(address) }, subject: { try await applied(address) }))
        report.add(
            try await Measurement.compare(
                "read, apply and write", count: workload.lineCount, runs: runs, goal: nil,
                referenceName: "bare consumer",
                reference: { try received(address) }, subject: { try await followed(address, folder) }))
        let input = try Ingest.write(workload, to: folder)
        report.add(
            try await Measurement.compare(
                "catch up", count: workload.lineCount, runs: runs, goal: nil,
                referenceName: "ingest of the same file",
                reference: {
                    try folder.removeDatabase("cache.db")
                    return try await Ingest.run(
                        input, into: try await SQLiteJournal.open(path: folder.path("cache.db")))
                },
                subject: { try await followed(address, folder) }))
    }

    /// Receives all messages, and discards them.
    private static func received(_ address: JetStreamAddress) throws -> UInt64 {
        let api = JetStreamAPI(connection: try NatsConnection(address))
        var consumer = try PullConsumer(api, stream: address.stream, filter: "tidemark.*", from: 1)
        var count: Int64 = 0
        var byteCount: UInt64 = 0
        while count < consumer.pendingCount {
            _ = try consumer.receive(timeout: 100) { message, _ in
                count += 1
                byteCount += UInt64(message.bytes.count)
                return true
            }
        }
        try consumer.end()
        return byteCount
    }

    private static var configuration: CacheConfiguration {
        var configuration = CacheConfiguration()
        configuration.flush = .bulk
        configuration.flush.byteCountMax = JetStreamFeed.unwrittenByteCountMax
        return configuration
    }

    /// Applies all messages to a cache whose journal stores nothing.
    private static func applied(_ address: JetStreamAddress) async throws -> UInt64 {
        var settings = ReadingSettings()
        settings.endsCaughtUp = true
        let cache = try await SyncCache.open(configuration: configuration, journal: ForgetfulJournal())
        try await JetStreamFeed(address, settings: settings).run(into: cache)
        let count = await cache.entityCount()
        try await cache.close()
        return UInt64(count)
    }

    /// Applies all messages to a new cache on the disk, and writes the entities.
    private static func followed(_ address: JetStreamAddress, _ folder: ScratchFolder) async throws -> UInt64 {
        var settings = ReadingSettings()
        settings.endsCaughtUp = true
        let feed = JetStreamFeed(address, settings: settings)
        return try await filled(folder) { try await feed.run(into: $0) }
    }

    /// Fills a new cache on the disk, and returns the number of its entities.
    private static func filled(
        _ folder: ScratchFolder, _ fill: (SyncCache) async throws -> Void
    ) async throws -> UInt64 {
        try folder.removeDatabase("cache.db")
        let cache = try await SyncCache.open(path: folder.path("cache.db"), configuration: configuration)
        try await fill(cache)
        try await cache.flush()
        let count = await cache.entityCount()
        try await cache.close()
        return UInt64(count)
    }

    /// Waits for the file that the server writes when it listens, and returns the port in it.
    ///
    /// - Throws: ``BenchmarkError`` if there is no such file after 20 seconds.
    private static func port(_ path: String) throws -> Int {
        let deadline = ContinuousClock.now + .seconds(20)
        while ContinuousClock.now < deadline {
            // The file can be incomplete while the server writes it.
            if let data = FileManager.default.contents(atPath: path),
                let names = try? JSONDecoder().decode([String: [String]].self, from: data),
                let port = names["nats"]?.first.flatMap({ URL(string: $0)?.port })
            {
                return port
            }
            poll(nil, 0, 10)
        }
        throw BenchmarkError("the NATS server does not listen")
    }
}
