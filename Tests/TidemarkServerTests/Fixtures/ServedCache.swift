import Foundation
import Logging
import Synchronization
import Tidemark
import TidemarkModel
import TidemarkServer
import TidemarkTesting
import TidemarkTestKit

/// A server in this process, with limits that a test can wait for, and real sockets.
final class ServedCache: Sendable {
    let cache: SyncCache
    let server: CacheServer
    let port: Int
    let token = AccessToken()
    private let running: Task<Void, any Error>
    private let stopping: AsyncStream<Void>.Continuation

    init(
        _ limits: ServerLimits = ServerLimits(), databasePath: String? = nil, journal: MemoryJournal = MemoryJournal()
    ) async throws {
        cache = try await SyncCache.open(journal: journal)
        var configuration = CacheServerConfiguration(token: token, databasePath: databasePath, port: 0)
        configuration.limits = limits
        configuration.logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        let server = CacheServer(cache, configuration: configuration)
        self.server = server
        let (stops, stopping) = AsyncStream.makeStream(of: Void.self)
        let (ports, port) = AsyncStream.makeStream(of: Int.self)
        self.stopping = stopping
        let cache = cache
        running = Task {
            try await server.run(
                onStart: { port.yield($0) }, until: { for await _ in stops { return } },
                close: { do { try await cache.close() } catch { return } })
        }
        var iterator = ports.makeAsyncIterator()
        guard let started = await iterator.next() else { throw RawFailure("the server did not start") }
        self.port = started
    }

    func connect(receiveByteCount: Int32? = nil) throws -> RawConnection {
        try RawConnection(port: port, receiveByteCount: receiveByteCount)
    }

    func request(_ method: String, _ path: String, _ fields: [String] = [], body: String? = nil) -> String {
        var lines = [
            "\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)", "Authorization: Bearer \(token.text)",
        ]
        lines += fields
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }

    func call(_ message: String, stream: String? = nil) async throws -> RawConnection.Answer {
        let fields = ["Content-Type: application/json"] + (stream.map { ["Tidemark-Stream: \($0)"] } ?? [])
        let text = request("POST", "/rpc", fields, body: message)
        return try await onThread { [self] in
            let connection = try connect()
            connection.write(text)
            return try connection.answer()
        }
    }

    /// Ends the server, and returns when it has ended.
    func stop() async throws {
        stopping.yield()
        try await running.value
    }
}
