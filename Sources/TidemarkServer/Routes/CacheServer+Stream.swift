import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Tidemark

extension CacheServer {
    /// Opens or resumes a stream of server-sent events.
    func openStream(_ request: Request) async throws(Refusal) -> Response {
        guard let live else { throw Refusal(.readOnly, "this server only reads: ask the one that writes") }
        let items = try QueryItems(path: request.head.path ?? "", known: ["stream"])
        let connected = try await live.hub.connect(to: items["stream"], after: try CacheServer.lastNumber(request))
        // A proxy in front must not collect events.
        let fields: HTTPFields = [.contentType: "text/event-stream", .acceleratorBuffering: "no"]
        // The client may be gone before the first byte is written, or at any byte: the stream may be resumed then.
        let lease = StreamHub.Lease(live.hub, connected)
        return Response(
            status: .ok, headers: fields,
            body: ResponseBody { writer in
                defer { withExtendedLifetime(lease) {} }
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    try await CacheServer.send(connected, live, to: &writer)
                }
                try await writer.finish(nil)
            })
    }

    private static func lastNumber(_ request: Request) throws(Refusal) -> Int64 {
        guard let text = request.headers[values: .lastEventID].first, !text.isEmpty else { return 0 }
        guard let number = Int64(text), number >= 0 else {
            throw Refusal(.badRequest, "Last-Event-ID is not a number: send the id of the last event")
        }
        return number
    }

    /// Sends a stream's events until the client is gone, comes back on another connection, or the stream ends.
    private static func send(
        _ connected: StreamHub.Connected, _ live: LiveCache, to writer: inout any ResponseBodyWriter
    ) async throws {
        let stream = connected.stream
        var first: [UInt8] = []
        if let gone = connected.gone { first += EventText.named("gone", stream: CacheServer.printable(gone)) }
        first += EventText.named("hello", stream: stream.id)
        try await writer.write(ByteBuffer(bytes: first))
        while true {
            switch await stream.nextStep(connected.connection) {
            case .send(let text, let hasRoom):
                if hasRoom { await live.cache.resume(stream) }
                try await writer.write(ByteBuffer(bytes: text))
            case .end(let end):
                let name = end == .bye ? "bye" : "gone"
                return try await writer.write(ByteBuffer(bytes: EventText.named(name, stream: stream.id)))
            case .replaced: return
            case .wait: throw CancellationError()
            }
        }
    }

    /// The name of a stream as a client gave it, without what could end its line or its string.
    private static func printable(_ id: String) -> String {
        String(id.unicodeScalars.prefix(64).filter { $0.isASCII && $0.properties.isAlphabetic || ("0"..."9") ~= $0 })
    }
}
