import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization
import Tidemark
import TidemarkHTTPRules

extension CacheServer {
    // MARK: On a program's own router

    /// Opens or resumes a stream, with a task that sends its events.
    ///
    /// Used only on a program's own router; on the server's own port, ``StreamSender`` handles stream requests first.
    func openStream(_ request: Request) async throws(Refusal) -> Response {
        let (live, lease) = try await connect(request.head)
        return Response(
            status: .ok, headers: StreamAnswer.fields,
            body: ResponseBody { writer in
                defer { withExtendedLifetime(lease) {} }
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await CacheServer.send(lease.connected, live, to: &writer)
                }
                try await writer.finish(nil)
            })
    }

    /// Returns the head of a stream response, without starting a stream.
    func streamHead() throws(Refusal) -> Response {
        guard live != nil else { throw Refusal(.readOnly, "this server only reads: ask the one that writes") }
        return Response(status: .ok, headers: StreamAnswer.fields)
    }

    /// Sends a stream's events until the client disconnects, resumes on another connection, or the stream ends.
    private static func send(
        _ connected: StreamHub.Connected, _ live: LiveCache, to writer: inout any ResponseBodyWriter
    ) async throws {
        let stream = connected.stream
        try await writer.write(ByteBuffer(bytes: EventText.beginning(of: connected)))
        while true {
            switch await stream.nextStep(connected.connection) {
            case .send(let text, let hasRoom):
                if hasRoom { await live.cache.resume(stream) }
                try await writer.write(ByteBuffer(bytes: text))
            case .end(let end):
                return try await writer.write(ByteBuffer(bytes: EventText.ending(end, of: stream)))
            case .replaced: return
            case .wait: throw CancellationError()
            }
        }
    }

    // MARK: On the server's own port

    /// Answers a stream request whose events the connection itself will send.
    func respond(toStream request: HTTPRequest) async -> StreamAnswer {
        var allowedOrigin: String?
        var answer: StreamAnswer
        do throws(Refusal) {
            let passed = try check.withLock { $0 }.check(request)
            allowedOrigin = passed.allowedOrigin
            try refuseAtEnd(passed.route)
            if case .scope(let name) = passed.route {
                answer = try await openScope(name, request)
            } else {
                let (live, lease) = try await connect(request)
                answer = StreamAnswer(SentNotifications(lease, live), StreamAnswer.fields)
            }
        } catch {
            answer = StreamAnswer(error)
        }
        ServerFields.complete(&answer.head.headerFields, for: allowedOrigin)
        answer.head.headerFields[.date] = HTTPDate.text(configuration.clock.now() / 1_000)
        return answer
    }

    /// Finds or creates the stream that a request names.
    private func connect(_ request: HTTPRequest) async throws(Refusal) -> (LiveCache, StreamHub.Lease) {
        guard let live else { throw Refusal(.readOnly, "this server only reads: ask the one that writes") }
        let items = try QueryItems(path: request.path ?? "", known: ["stream"])
        let connected = try await live.hub.connect(to: items["stream"], after: try CacheServer.lastNumber(request))
        // The lease detaches the connection whenever the client leaves, even before the first byte; the stream stays
        // resumable.
        return (live, StreamHub.Lease(live.hub, connected))
    }

    private static func lastNumber(_ request: HTTPRequest) throws(Refusal) -> Int64 {
        guard let text = request.headerFields[values: .lastEventID].first, !text.isEmpty else { return 0 }
        guard let number = Int64(text), number >= 0 else {
            throw Refusal(.badRequest, "Last-Event-ID is not a number: send the id of the last event")
        }
        return number
    }
}

/// The response to a stream request: its head, and either the stream or the body of a refusal.
struct StreamAnswer: Sendable {
    enum Body: Sendable {
        case stream(any SentStream)
        case refusal([UInt8])
    }

    /// The header fields of a stream response. `X-Accel-Buffering` stops proxies from buffering events.
    static let fields: HTTPFields = [.contentType: "text/event-stream", .acceleratorBuffering: "no"]

    var head: HTTPResponse
    var body: Body

    init(_ stream: any SentStream, _ fields: HTTPFields) {
        head = HTTPResponse(status: .ok, headerFields: fields)
        body = .stream(stream)
    }

    init(_ refusal: Refusal) {
        let bytes = refusal.body
        head = HTTPResponse(status: refusal.status, headerFields: refusal.fields)
        head.headerFields[.contentLength] = String(bytes.count)
        body = .refusal(bytes)
    }
}

extension EventText {
    /// Returns the first events on a connection: `gone` for a stream that could not be resumed, then `hello`.
    static func beginning(of connected: StreamHub.Connected) -> [UInt8] {
        let hello = named("hello", stream: connected.stream.id)
        guard let gone = connected.gone else { return hello }
        return named("gone", stream: printable(gone)) + hello
    }

    /// Returns the last event of a stream.
    static func ending(_ end: StreamState.End, of stream: NotificationStream) -> [UInt8] {
        named(end == .bye ? "bye" : "gone", stream: stream.id)
    }

    /// The stream name as the client sent it, reduced to letters and digits so that it cannot break out of its string.
    private static func printable(_ id: String) -> String {
        String(id.unicodeScalars.prefix(64).filter { $0.isASCII && $0.properties.isAlphabetic || ("0"..."9") ~= $0 })
    }
}
