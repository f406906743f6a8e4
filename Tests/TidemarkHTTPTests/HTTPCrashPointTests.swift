import HTTPTypes
import TestTraits
import Testing
import Tidemark
import TidemarkFaultDisk
import TidemarkHTTP
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// A client whose process stops at any change of its disk, by SIGKILL and by a loss of power, while it stores,
/// replaces, confirms and removes answers of several chunks. Law: an answer is stored whole or not at all, with its
/// entities.
@Suite(.pooled(minutes: 60), .tags(.crash)) struct HTTPCrashPointTests {
    /// The versions of the long answer: bodies of three chunks and of two.
    private static let bodies: [[[UInt8]]] = (0..<3).map { number in
        Array(repeating: [UInt8](repeating: UInt8(number + 1), count: 300_000), count: number == 1 ? 5 : 8)
    }

    private struct Progress {
        /// The long answer that was said to be stored last, and one that was on its way.
        var stored: Int?
        var begun: Int?
        /// The number of the answer whose entity was said to be stored last, and of one that was on its way.
        var entity: Int?
        var entityBegun: Int?
    }

    @Test(arguments: FaultDisk.Moment.allCases)
    func `wherever a process stops, an answer is there whole or not at all`(moment: FaultDisk.Moment) async throws {
        let whole = try TemporaryFolder()
        let quiet = try FaultDisk(folder: whole.path)
        var last = Progress()
        await live(whole.path + "/cache.db", quiet, &last)
        #expect(last.stored == 2 && last.entity == 2 && quiet.changeCount > 40)
        let points = CrashPoints(
            count: TestScale.crashPointCount(few: 14), only: TestScale.point.number, seed: TestScale.randomSeed)
        var stopCount = 0
        for point in points.chosen(of: quiet.changeCount) {
            let folder = try TemporaryFolder()
            let disk = try FaultDisk(folder: folder.path)
            disk.plan(.stop(moment), at: point, count: .max, seed: points.seed(at: point))
            var progress = Progress()
            await live(folder.path + "/cache.db", disk, &progress)
            guard disk.isStopped else { continue }
            stopCount += 1
            for loss in [FaultDisk.Loss.process, .power(seed: points.seed(at: point, 2))] {
                let next = try TemporaryFolder()
                try disk.writeImage(loss, to: next.path)
                let problems = try await recover(next.path + "/cache.db", progress)
                #expect(
                    problems == [],
                    "\(disk.place), stopped \(moment), \(loss); try again: \(points.description(of: point))")
                if !problems.isEmpty { return }
            }
        }
        // Otherwise nothing was tried.
        #expect(stopCount > 0)
    }

    private static func body(_ number: Int) -> String { #"{"id":"f1","n":\#(number)}"# }

    /// Stores three versions of a long answer, of an entity and of an answer of the session, until the disk stops.
    private func live(_ path: String, _ disk: FaultDisk, _ progress: inout Progress) async {
        do {
            let journal = try await SQLiteJournal.open(path: path)
            var configuration = CacheConfiguration()
            configuration.flush.attemptCountMax = 1
            let cache = try await SyncCache.open(
                configuration: configuration, journal: journal, clock: ManualClock(skipsUpTo: 400_000))
            let long = ChunkedServer()
            let client = HTTPClient(cache, transport: long, defaults: HTTPClientDefaults())
            do { try await store(long, client, disk, &progress) } catch { #expect(disk.isStopped, "\(error)") }
            // Also when the disk has stopped: an open cache would try to write for ever.
            await client.close()
            try await cache.close()
        } catch {
            #expect(disk.isStopped, "\(error)")
        }
    }

    private func store(
        _ long: ChunkedServer, _ client: HTTPClient, _ disk: FaultDisk, _ progress: inout Progress
    ) async throws {
        for number in 0..<3 where !disk.isStopped {
            long.answers(.init(fields: [("ETag", "\"\(number)\"")], chunks: Self.bodies[number]))
            progress.begun = number
            if try await client.fetch(Self.request("http://a.test/long")).isStored { progress.stored = number }
            // A confirmation, and an answer that ends with the process.
            _ = try await client.fetch(Self.request("http://a.test/long"))
            _ = try await client.fetch(Self.request("http://a.test/session", .session))
            var one = Self.request("http://a.test/one")
            one.normalization = try HTTPNormalization(
                spec: Array(#"{"resource_type":"file"}"#.utf8), limits: Limits())
            long.answers(.init(chunks: [Array(Self.body(number).utf8)]))
            progress.entityBegun = number
            let fetched = try await client.fetch(one)
            if fetched.isStored, fetched.normalized == .entities(1) { progress.entity = number }
            _ = try await client.invalidate(HTTPSelection(url: "http://a.test/gone"))
        }
    }

    private static func request(_ url: String, _ storage: HTTPStorage = .permanent) -> HTTPFetch {
        do {
            return HTTPFetch(
                library: "",
                request: RequestHead(method: "GET", url: try HTTPURL(ByteString(url)), fields: HeaderFields()),
                rules: .only(.etag), storage: storage, timeout: .seconds(30))
        } catch {
            preconditionFailure("\(url): \(error)")
        }
    }

    private func recover(_ path: String, _ progress: Progress) async throws -> [String] {
        var problems: [String] = []
        let quiet = try FaultDisk(folder: String(path.dropLast("/cache.db".count)))
        defer { withExtendedLifetime(quiet) {} }
        let journal = try await SQLiteJournal.open(path: path)
        let cache = try await SyncCache.open(journal: journal, clock: ManualClock(skipsUpTo: 400_000))
        let client = HTTPClient(cache, transport: OfflineTransport(), defaults: HTTPClientDefaults())
        let found = try await client.list(HTTPSelection(), after: nil, countMax: 10).entries
        for entry in found where entry.url == "http://a.test/session" { problems.append("\(entry.url) is there") }
        func served(_ url: String) async throws -> HTTPFetched? {
            var request = Self.request(url)
            request.rules = .only(.enabled)
            do throws(CacheError) {
                return try await client.fetch(request)
            } catch {
                if error.code != .offline { problems.append("\(url): \(error)") }
                return nil
            }
        }
        let allowed = Set([progress.stored, progress.begun].compactMap { $0 })
        if let long = try await served("http://a.test/long") {
            let number = allowed.first { long.body.isSame(as: [UInt8](joining: Self.bodies[$0])) }
            let tag = long.head.fields.first("etag")
            if number.map({ tag != ByteString("\"\($0)\"") }) ?? true {
                problems.append("the long answer has \(long.body.count) bytes and tag \(tag ?? "")")
            }
        } else if progress.stored != nil {
            problems.append("the long answer \(allowed) is gone")
        }
        // The answer and its entity are of one transaction.
        let one = try await served("http://a.test/one").map { String(decoding: $0.body, as: UTF8.self) }
        let key = EntityKey(library: "", type: "file", id: "f1")
        let entity = try await cache.read(key, fields: nil).entity.map { String(decoding: $0, as: UTF8.self) }
        if one != entity { problems.append("the answer is \(one ?? "gone"), its entity \(entity ?? "gone")") }
        let bodies = [progress.entity, progress.entityBegun].map { $0.map(Self.body) }
        if !bodies.contains(one) { problems.append("the entity is \(one ?? "gone"), not of \(bodies)") }
        await client.close()
        try await cache.close()
        let report = try SQLiteReader(path: path).verify()
        problems += report.problems.map { "\($0)" }
        let chunkCount = try SQLiteReader(path: path).httpChunkCount()
        let expected = found.reduce(0) { $0 + (Int($1.byteCount) + (1 << 20) - 1) / (1 << 20) }
        if chunkCount != expected { problems.append("\(chunkCount) chunks of \(expected)") }
        return problems
    }
}
