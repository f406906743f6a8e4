import Foundation
import TidemarkTestKit
import TidemarkTesting

/// A running `tidemark serve`, as a user starts it.
final class ServedCommand {
    let folder: TemporaryFolder
    let port: Int
    let token: String
    private let command: LiveCommand
    /// The line that it printed at its start.
    let firstLine: String

    /// - Parameters:
    ///   - folder: The folder of `cache.db`.
    ///   - arguments: Further options.
    init(_ arguments: [String] = [], in folder: TemporaryFolder? = nil) throws {
        let folder = try folder ?? TemporaryFolder()
        self.folder = folder
        command = try LiveCommand(
            ["serve", "--db", folder.path("cache.db"), "--listen", "127.0.0.1:0"] + arguments)
        guard case .line(let line) = command.next(seconds: 60) else {
            let end = command.finish(seconds: 5)
            throw RawFailure("the server did not start: \(end.status) \(end.errors)")
        }
        firstLine = String(decoding: line, as: UTF8.self)
        guard let match = firstLine.firstMatch(of: /"serving":"https?:\/\/127.0.0.1:([0-9]+)"/), let port = Int(match.1)
        else { throw RawFailure("no address: \(firstLine)") }
        self.port = port
        token = String(decoding: try folder.read("cache.db.token"), as: UTF8.self)
            .trimmingCharacters(in: .newlines)
    }

    var peakByteCount: Int? { command.peakByteCount }

    func connect(receiveByteCount: Int32? = nil) throws -> RawConnection {
        try RawConnection(port: port, receiveByteCount: receiveByteCount)
    }

    /// Returns the text of a request that is allowed.
    func request(
        _ method: String, _ path: String, _ fields: [String] = [], body: [UInt8]? = nil, hasToken: Bool = true
    ) -> [UInt8] {
        var lines = ["\(method) \(path) HTTP/1.1", "Host: 127.0.0.1:\(port)"]
        if hasToken { lines.append("Authorization: Bearer \(token)") }
        lines += fields
        if let body { lines.append("Content-Length: \(body.count)") }
        return Array((lines.joined(separator: "\r\n") + "\r\n\r\n").utf8) + (body ?? [])
    }

    /// Sends a request on a connection of its own.
    func ask(
        _ method: String, _ path: String, _ fields: [String] = [], body: [UInt8]? = nil, hasToken: Bool = true
    ) throws -> RawConnection.Answer {
        let connection = try connect()
        connection.write(request(method, path, fields, body: body, hasToken: hasToken))
        return try connection.answer(seconds: 30)
    }

    /// Sends a message, and returns its answer.
    func call(_ message: String, stream: String? = nil) throws -> RawConnection.Answer {
        try ask(
            "POST", "/rpc",
            ["Content-Type: application/json"] + (stream.map { ["Tidemark-Stream: \($0)"] } ?? []),
            body: Array(message.utf8))
    }

    /// Applies event lines, and returns the summary.
    @discardableResult
    func feed(_ lines: String) throws -> RawConnection.Answer {
        try ask("POST", "/events", ["Content-Type: application/x-ndjson"], body: Array(lines.utf8))
    }

    /// Ends the server as a service manager does.
    func stop() -> (status: Int32, errors: String, lines: [[UInt8]]) {
        command.send(signal: SIGTERM)
        return command.finish(seconds: 20)
    }

    func kill() { command.send(signal: SIGKILL) }

    /// Asks the server to read its files anew.
    func hangUp() { command.send(signal: SIGHUP) }

    /// An event line of an entity.
    static func event(_ id: String, _ name: String = "a", sequence: Int? = nil) -> String {
        EventLine.change(
            #"{"id":"\#(id)","name":"\#(name)"}"#, library: sequence == nil ? nil : "home",
            sequence: sequence.map { Int64($0) }) + "\n"
    }
}

/// A connection that reads a stream of notifications.
final class StreamReader {
    let connection: RawConnection
    /// The name of the stream.
    let id: String
    /// The fields of the events before the stream's name, such as `gone`.
    let before: [String]

    /// - Parameter query: The query of the path, such as `?stream=…`.
    init(
        _ server: ServedCommand, query: String = "", lastEventID: String? = nil, receiveByteCount: Int32? = nil
    ) throws {
        connection = try server.connect(receiveByteCount: receiveByteCount)
        connection.write(
            server.request("GET", "/stream\(query)", lastEventID.map { ["Last-Event-ID: \($0)"] } ?? []))
        let head = try connection.head()
        guard head.status == 200, head.field("Content-Type") == "text/event-stream" else {
            throw RawFailure("no stream: \(head.status)")
        }
        var before: [String] = []
        while true {
            let event = try StreamReader.event(connection)
            guard event.name == "hello" else {
                before.append(event.name ?? "")
                continue
            }
            guard let match = event.data.wholeMatch(of: /\{"stream":"([0-9a-f]{32})"\}/) else {
                throw RawFailure("no stream in \(event.data)")
            }
            id = String(match.1)
            break
        }
        self.before = before
    }

    /// One event.
    struct Event {
        var name: String?
        var number: Int?
        var data = ""
    }

    /// Returns the next event; comments are passed over.
    func next(seconds: Double = 10) throws -> Event { try StreamReader.event(connection, seconds: seconds) }

    /// Returns the next notification of a method.
    func next(_ method: String) throws -> Event {
        while true {
            let event = try next()
            if event.data.contains("\"method\":\"\(method)\"") { return event }
        }
    }

    private static func event(_ connection: RawConnection, seconds: Double = 10) throws -> Event {
        while true {
            // Each write is one chunk: the lines between are sizes of chunks.
            var event = Event()
            while true {
                let line = try connection.text(through: "\n", seconds: seconds)
                    .trimmingCharacters(in: CharacterSet(charactersIn: "\r\n"))
                if line.hasPrefix("event: ") { event.name = String(line.dropFirst(7)) }
                if line.hasPrefix("id: ") { event.number = Int(line.dropFirst(4)) }
                if line.hasPrefix("data: ") { event.data = String(line.dropFirst(6)) }
                if line.isEmpty, !event.data.isEmpty { return event }
            }
        }
    }
}
