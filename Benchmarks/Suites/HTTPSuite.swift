import Foundation
import GRDB
import HTTPTypes
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRecords
import TidemarkHTTPRules
import TidemarkModel
import TidemarkSQLite
import TidemarkStore
import TidemarkTestKit
import TidemarkTesting

/// The cost of stored HTTP responses: hits, revalidations over a real connection, and opening a file with many
/// responses.
enum HTTPSuite {
    private static let bodyByteCount = 10_240

    static func run(isSmoke: Bool, runs: Int, into report: inout Report) async throws {
        let folder = try ScratchFolder()
        let count = isSmoke ? 200 : 10_000
        let path = folder.path("cache.db")
        let server = InstantServer()
        do {
            let world = try await World(path, server)
            for number in 0..<count { _ = try await world.client.fetch(request(number), policy: .standard) }
            let storedByteCount = try SQLiteReader(path: path).httpTotals().byteCount
            try await world.close()
            report.add(
                name: "stored size / body size", value: Double(storedByteCount) / Double(count * bodyByteCount),
                unit: "ratio", goal: 0.6, hash: UInt64(count))
        }
        try await open(path, count, folder, isSmoke: isSmoke, runs: runs, into: &report)
        let world = try await World(path, server)
        try await hits(world, folder, count, isSmoke: isSmoke, runs: runs, into: &report)
        try await world.close()
        try await confirmations(folder, isSmoke: isSmoke, runs: runs, into: &report)
    }

    // MARK: Hits

    private static func hits(
        _ world: World, _ folder: ScratchFolder, _ count: Int, isSmoke: Bool, runs: Int, into report: inout Report
    ) async throws {
        let readCount = isSmoke ? 200 : 5_000
        let few = 100
        let rows = try RowTable(folder.path("rows.db"), count)
        func subject(_ distinct: Int) async throws -> UInt64 {
            var sum: UInt64 = 0
            for index in 0..<readCount {
                let fetched = try await world.client.fetch(request(index % distinct), policy: .standard)
                guard fetched.wasLoadedFromCache else { throw BenchmarkError("a fresh answer was asked for") }
                sum += UInt64(fetched.body.count)
            }
            return sum
        }
        for (name, distinct) in [("fresh hit of 10 KB", few), ("fresh hit of 10 KB, from the disk", count)] {
            report.add(
                try await Measurement.compare(
                    name, unit: "hit", count: readCount, runs: runs, goal: distinct == few ? 3 : nil,
                    referenceName: "SELECT of such a row",
                    reference: { try rows.read(readCount, distinct) }, subject: { try await subject(distinct) }))
        }
        #if TIDEMARK_URLCACHE
            let urlCache = URLCacheReference(few, url: url, body: body)
            report.add(
                try await Measurement.compare(
                    "fresh hit of 10 KB, beside URLCache", unit: "hit", count: readCount, runs: runs, goal: nil,
                    referenceName: "URLCache in memory", reference: { urlCache.read(readCount, few) },
                    subject: { try await subject(few) }))
        #endif
    }

    /// Fresh hits of ten responses, for ``CountedWork``.
    static func counted(hitCount: Int) async throws -> CountedRounds {
        let folder = try ScratchFolder()
        let world = try await World(folder.path("cache.db"), InstantServer())
        let distinct = 10
        for number in 0..<distinct { _ = try await world.client.fetch(request(number), policy: .standard) }
        return CountedRounds(end: { try await world.close() }) {
            _ = folder
            var sum: UInt64 = 0
            for index in 0..<hitCount {
                sum += UInt64(try await world.client.fetch(request(index % distinct), policy: .standard).body.count)
            }
            return sum
        }
    }

    // MARK: Confirmations

    /// Measures the time that the cache adds to a conditional request over a kept connection.
    private static func confirmations(
        _ folder: ScratchFolder, isSmoke: Bool, runs: Int, into report: inout Report
    ) async throws {
        let count = isSmoke ? 50 : 1_000
        let server = try RawServer { head in
            head.lowercased().contains("if-none-match")
                ? .init("HTTP/1.1 304 Not Modified\r\nETag: \"1\"\r\n\r\n", end: .keep)
                : .init("200 OK", ["ETag: \"1\""], body: body(0), end: .keep)
        }
        defer { server.stop() }
        let transport = CurlTransport()
        let world = try await World(folder.path("confirmed.db"), transport)
        let request = HTTPRequest(method: .get, scheme: "http", authority: "127.0.0.1:\(server.port)", path: "/x")
        _ = try await world.client.fetch(request)
        let exchange = HTTPExchange(
            method: "GET", url: try HTTPURL(ByteString("\(server.url)/x")),
            fields: HeaderFields([.init("If-None-Match", "\"1\"")]), timeout: .seconds(30))
        let measured = try await Measurement.compare(
            "304 round trip", unit: "request", count: count, runs: runs, goal: nil, referenceName: "the bare request",
            reference: {
                for _ in 0..<count {
                    _ = try await transport.exchange(exchange).body.bytes(byteCountMax: 100)
                }
                return UInt64(count)
            },
            subject: {
                for _ in 0..<count where try await !world.client.fetch(request).wasRevalidated {
                    throw BenchmarkError("the answer was not confirmed")
                }
                return UInt64(count)
            })
        report.add(measured)
        let added = zip(measured.seconds, measured.referenceSeconds).map { ($0 - $1) / Double(count) * 1e6 }
        report.add(
            name: "added to a 304 round trip", values: added.map { max(0, $0) }, unit: "µs", goal: 200,
            hash: UInt64(count))
        try await world.close()
    }

    // MARK: Opening

    /// Measures opening a file with many responses, and opening an empty file. Both have the same schema and
    /// statements.
    private static func open(
        _ path: String, _ count: Int, _ folder: ScratchFolder, isSmoke: Bool, runs: Int, into report: inout Report
    ) async throws {
        let empty = folder.path("empty.db")
        try await SQLiteJournal.open(path: empty).close()
        func milliseconds(_ path: String) async throws -> Double {
            let clock = ContinuousClock()
            let start = clock.now
            let journal = try await SQLiteJournal.open(path: path)
            let seconds = (clock.now - start).inSeconds
            try await journal.close()
            return seconds * 1e3
        }
        var times: [(full: Double, empty: Double)] = []
        for _ in 0..<(4 * runs) { times.append((try await milliseconds(path), try await milliseconds(empty))) }
        report.add(
            name: "open a file of \(count) answers", values: times.map(\.full), unit: "ms", goal: isSmoke ? nil : 5,
            hash: UInt64(count))
        report.add(
            name: "open an empty file", values: times.map(\.empty), unit: "ms", goal: nil, hash: 0)
    }

    // MARK: Parts

    /// A client over a data file.
    private struct World {
        let cache: SyncCache
        let client: CachingHTTPClient

        init(_ path: String, _ transport: any HTTPTransport) async throws {
            cache = try await SyncCache.open(path: path)
            client = CachingHTTPClient(cache: HTTPResponseCache(cache), transport: transport)
        }

        func close() async throws {
            await client.close()
            try await cache.close()
        }
    }

    /// A server that answers every request at once with a response that stays fresh.
    private struct InstantServer: HTTPTransport {
        func exchange(_ exchange: HTTPExchange) async throws(ExchangeError) -> HTTPExchangeResponse {
            let number = Int(exchange.request.path?.split(separator: "/").last ?? "") ?? 0
            var response = HTTPResponse(status: .ok)
            response.headerFields[.cacheControl] = "max-age=100000"
            response.headerFields[.contentType] = "application/json"
            response.headerFields[.eTag] = "\"\(number)\""
            return HTTPExchangeResponse(response: response, body: HTTPBody(HTTPSuite.body(number)))
        }
    }

    /// A plain SQLite table with the same bodies, read by key with a prepared statement.
    private struct RowTable {
        private let queue: DatabaseQueue

        init(_ path: String, _ count: Int) throws {
            queue = try DatabaseQueue(path: path)
            try queue.write { db in
                try db.execute(sql: "CREATE TABLE rows (url TEXT PRIMARY KEY, body BLOB NOT NULL)")
                let statement = try db.makeStatement(sql: "INSERT INTO rows VALUES (?, ?)")
                for number in 0..<count {
                    try statement.execute(arguments: [
                        HTTPSuite.url(number).absoluteString, Data(HTTPSuite.body(number)),
                    ])
                }
            }
        }

        /// Reads bodies in turn, and returns the sum of their sizes in bytes.
        func read(_ readCount: Int, _ distinct: Int) throws -> UInt64 {
            try queue.read { db in
                let statement = try db.cachedStatement(sql: "SELECT body FROM rows WHERE url = ?")
                var sum: UInt64 = 0
                for index in 0..<readCount {
                    let body = try Data.fetchOne(
                        statement, arguments: [HTTPSuite.url(index % distinct).absoluteString])
                    sum += UInt64(body?.count ?? 0)
                }
                return sum
            }
        }
    }

    private static func url(_ number: Int) -> URL {
        guard let url = URL(string: "http://a.test/files/\(number)") else { preconditionFailure("no URL") }
        return url
    }

    private static func request(_ number: Int) -> HTTPRequest {
        HTTPRequest(method: .get, scheme: "http", authority: "a.test", path: "/files/\(number)")
    }

    /// Returns JSON as servers send it: the names repeat, the values do not.
    private static func body(_ number: Int) -> [UInt8] {
        var random = SeededGenerator(seed: UInt64(number))
        var text = "{\"files\":["
        while text.utf8.count < bodyByteCount - 200 {
            text +=
                #"{"id":"\#(random.next())","name":"file \#(random.below(10_000)).jpg","size":\#(random.below(9_999_999)),"#
            text +=
                #""modified_at":"2026-0\#(1 + random.below(9))-11T10:\#(10 + random.below(50)):00Z","shared":false},"#
        }
        text += String(repeating: " ", count: bodyByteCount - text.utf8.count - 4) + "{}]}"
        return Array(text.utf8)
    }
}
