import Foundation
import Logging
import Tidemark
import TidemarkLiveScopes
import TidemarkModel
import TidemarkScopes
import TidemarkServer
import TidemarkTesting
import TidemarkTestKit

/// Knows everybody by the name that is their token.
struct NamedReaders: ScopeAuthenticator {
    /// When streams end.
    var expiry = Date.distantFuture
    var acceptsKeys = true

    func authenticate(bearer: String, now: Date) async throws(ScopeTokenError) -> ScopeIdentity {
        guard bearer != "wrong", !bearer.isEmpty else { throw .wrongSignature }
        if bearer == "long" { throw .tooLong }
        return ScopeIdentity(
            subject: ByteString(bearer), issuer: nil, claims: Array(#"{"sub":"\#(bearer)"}"#.utf8), expiry: expiry,
            keyID: ScopeKeyID(name: "a"))
    }

    func accepts(_ key: ScopeKeyID) async -> Bool { acceptsKeys }
}

/// A server with scopes in this process, and real sockets.
final class ServedScopes: Sendable {
    let cache: SyncCache
    let scopes: ScopeRoutes
    let port: Int
    let token = AccessToken()
    private let running: Task<Void, any Error>
    private let stopping: AsyncStream<Void>.Continuation

    init(
        file: String = ServedScopes.file, journal: any Journal = MemoryJournal(),
        authenticator: any ScopeAuthenticator = NamedReaders(),
        configuration: CacheConfiguration = CacheConfiguration(),
        edits: (any ScopeEditUpstream)? = nil, limits: ScopeLimits = ScopeLimits(),
        serving: ScopeServingLimits = ScopeServingLimits()
    ) async throws {
        cache = try await SyncCache.open(configuration: configuration, journal: journal)
        scopes = try await ScopeRoutes(
            cache, try ScopeFile(json: Array(file.utf8), limits: limits), authenticator, edits: edits, limits: limits,
            serving: serving)
        var configuration = CacheServerConfiguration(token: token, port: 0)
        configuration.logger = Logger(label: "test", factory: { _ in SwiftLogNoOpLogHandler() })
        configuration.scopes = scopes
        configuration.allowedOrigins = ["https://app.example"]
        let server = CacheServer(cache, configuration: configuration)
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

    /// Ends the server, and returns when it has ended.
    func stop() async throws {
        stopping.yield()
        try await running.value
    }

    // MARK: Requests

    func head(_ method: String, _ path: String, as reader: String?, _ fields: [String] = [], body: String? = nil)
        -> String
    {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"]
        if let reader { lines.append("Authorization: Bearer \(reader)") }
        lines += fields
        if let body { lines.append("Content-Length: \(body.utf8.count)") }
        return lines.joined(separator: "\r\n") + "\r\n\r\n" + (body ?? "")
    }

    func ask(
        _ method: String, _ path: String, as reader: String?, _ fields: [String] = [], body: String? = nil
    ) async throws -> RawConnection.Answer {
        let text = head(method, path, as: reader, fields, body: body)
        let port = port
        return try await onThread {
            let connection = try RawConnection(port: port)
            connection.write(text)
            return try connection.answer()
        }
    }

    /// Begins a stream.
    func stream(
        _ path: String, as reader: String, _ fields: [String] = [], receiveByteCount: Int32? = nil
    ) async throws -> ScopeLineReader {
        let text = head("GET", path, as: reader, fields)
        let port = port
        return try await onThread {
            let connection = try RawConnection(port: port, receiveByteCount: receiveByteCount)
            connection.write(text)
            let head = try connection.head()
            guard head.status == 200 else { throw RawFailure("no stream: \(head.status)") }
            return ScopeLineReader(connection, head)
        }
    }

    /// Applies events.
    func feed(_ lines: String...) async throws {
        try await cache.ingest(Array((lines.joined(separator: "\n") + "\n").utf8))
        try await cache.flush()
    }

    static let file = """
        {"scopes": {
          "project": {
            "params": {"me": {"claim": "sub"}, "project": {"query": "string"}},
            "require": [{"type": "membership", "on": {"/user": {"param": "me"}, "/project": {"param": "project"}}}],
            "types": {
              "project": {"where": {"path": "/id", "eq": {"param": "project"}}},
              "issue":   {"where": {"path": "/project", "eq": {"param": "project"}}, "without": ["internal_notes"]}}},
          "public": {"types": {"project": {"where": {"path": "/public", "eq": true}}}}}}
        """

    /// An event of an entity.
    static func change(_ type: String, _ resource: String) -> String {
        #"{"ResourceChanged":{"resource_type":"\#(type)","resource":\#(resource)}}"#
    }

    static func member(_ user: String, _ project: String) -> String {
        change("membership", #"{"id":"\#(user)-\#(project)","user":"\#(user)","project":"\#(project)"}"#)
    }

    static func delete(_ type: String, _ id: String) -> String {
        #"{"ResourceDeleted":{"resource_type":"\#(type)","resource_id":"\#(id)"}}"#
    }
}

/// Reads the lines of a scope from a connection. It blocks its thread.
final class ScopeLineReader: @unchecked Sendable {
    // Used by one thread after another: the test waits for each.
    let connection: RawConnection
    let head: RawConnection.Answer

    init(_ connection: RawConnection, _ head: RawConnection.Answer) {
        self.connection = connection
        self.head = head
    }

    /// Returns the next line of JSON.
    func line() async throws -> ReadLine { try await onThread { [self] in try next() } }

    private func next() throws -> ReadLine {
        while true {
            let text = try connection.text(through: "\n").trimmingCharacters(in: .newlines)
            // The lines between are sizes of chunks.
            if text.hasPrefix("{") { return try ReadLine(text) }
        }
    }

    /// Returns the lines up to and with one that fits.
    func lines(through isLast: @Sendable @escaping (ReadLine) -> Bool) async throws -> [ReadLine] {
        try await onThread { [self] in
            var lines: [ReadLine] = []
            repeat { lines.append(try next()) } while !isLast(lines[lines.count - 1])
            return lines
        }
    }

    /// Takes every byte that was written and not read yet.
    func rest() async throws -> [UInt8] { try await onThread { [self] in connection.takeRest() } }

    /// Returns the lines of a state.
    func state() async throws -> [ReadLine] { try await lines { $0.isHeartbeat } }

    /// Returns the events of a server-sent stream as text, up to one with some text.
    func text(through mark: String) async throws -> String {
        try await onThread { [self] in try connection.text(through: mark) }
    }
}

/// One line that came.
struct ReadLine: Sendable {
    let text: String
    let epoch: String?
    let sequence: UInt64?
    let previous: UInt64?
    let library: String?
    let hasMore: Bool

    init(_ text: String) throws {
        self.text = text
        guard let json = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any] else {
            throw RawFailure("no object: \(text)")
        }
        let envelope = json["envelope"] as? [String: Any] ?? [:]
        epoch = envelope["epoch"] as? String
        sequence = (envelope["sequence"] as? NSNumber)?.uint64Value
        previous = (envelope["prev"] as? NSNumber)?.uint64Value
        library = envelope["library_id"] as? String
        hasMore = envelope["more"] as? Bool ?? false
    }

    var isHeartbeat: Bool { text.contains(#""Heartbeat""#) }
    var isReset: Bool { text.contains(#""event":{"Reset":{"state":true}}"#) }
    /// The event alone.
    var event: String {
        guard let range = text.range(of: #""event":"#) else { return text }
        return String(text[range.upperBound...].dropLast())
    }
}
