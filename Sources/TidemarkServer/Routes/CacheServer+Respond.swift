import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Synchronization
import Tidemark
import TidemarkLiveScopes
import TidemarkModel
import TidemarkStore
import TidemarkJSON

extension CacheServer {
    /// Responds to a request. Every request passes through here, except stream requests on the server's own port.
    ///
    /// - Parameter channel: The connection to notify before reading a request body; nil on a program's own router.
    func respond(to request: Request, channel: (any Channel)?) async -> Response {
        var response: Response
        var allowedOrigin: String?
        do throws(Refusal) {
            let passed = try check.withLock { $0 }.check(request.head)
            allowedOrigin = passed.allowedOrigin
            try refuseAtEnd(passed.route)
            if passed.isPreflight {
                response = Response(status: .noContent, headers: ServerFields.preflight(passed.route))
            } else {
                response = try await respond(to: request, passed.route, channel)
                // HEAD is GET without a body. Dropping a body that is produced while it is sent stops its production.
                if request.method == .head { response = response.createHeadResponse() }
            }
        } catch {
            response = error.response
        }
        ServerFields.complete(&response.headers, for: allowedOrigin)
        return response
    }

    /// Refuses new requests, except health checks, while the server is stopping.
    func refuseAtEnd(_ route: ServerRoute) throws(Refusal) {
        if isStopping.load(ordering: .acquiring), route != .health {
            throw Refusal(.shuttingDown, "the server stops: ask again when it is back")
        }
    }

    private func respond(
        to request: Request, _ route: ServerRoute, _ channel: (any Channel)?
    ) async throws(Refusal) -> Response {
        switch route {
        case .messages: try await perform(request, channel)
        // A HEAD request starts no stream.
        case .stream where request.method == .head: try streamHead()
        case .stream: try await openStream(request)
        case .events: try await ingest(request, channel)
        case .entity(let type, let id): try await entity(type, id, request)
        case .entities(let type): try await entities(type, request)
        case .export: try await export(request)
        case .metrics: await metrics()
        case .health: try await health()
        case .recording: try await savedRecording()
        case .scopes: try await inspectScopes(request)
        case .scope(let name) where request.method == .head: try await scopeHead(name, request.head)
        case .scope(let name) where request.method == .post: try await missingLines(name, request, channel)
        case .scope(let name): try await openScope(name, request)
        case .scopeEdits(let name): try await edit(name, request, channel)
        case .page(let file): CacheServer.page(file, request)
        }
    }

    // MARK: Messages

    private func perform(_ request: Request, _ channel: (any Channel)?) async throws(Refusal) -> Response {
        try RequestBodyCheck.type(of: request, "application/json")
        try RequestBodyCheck.noCoding(of: request)
        let text = try await RequestBodyCheck.bytes(
            of: request, byteCountMax: configuration.limits.messageByteCountMax, channel)
        let stream = request.headers[values: .tidemarkStream].first
        guard let answer = await source.answer(to: text, stream: stream) else { return Response(status: .noContent) }
        // Only this error becomes a status, and only for a single message; in a batch it stays one error among the
        // answers.
        if live == nil, case .error("read_only") = MessageAnswer(answer) {
            return CacheServer.json(answer, status: .forbidden)
        }
        return CacheServer.json(answer)
    }

    static func json(_ bytes: [UInt8], status: HTTPResponse.Status = .ok) -> Response {
        Response(
            status: status, headers: [.contentType: "application/json"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: bytes)))
    }

    // MARK: State

    private func health() async throws(Refusal) -> Response {
        if let error = await source.storageError() { throw Refusal(.storageFailed, error.description) }
        return Response(
            status: .ok, headers: [.contentType: "text/plain; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: "ok\n")))
    }

    private func metrics() async -> Response {
        var text = await source.metrics()
        text.gauge("connections", "The connections of the server.", Int64(connections.value))
        if let hub = live?.hub {
            let counts = hub.counts
            text.gauge("streams", "The streams of notifications, with those that may be resumed.", Int64(counts.all))
            text.gauge("streams_connected", "The streams that have a connection.", Int64(counts.connected))
        }
        if let scopes = configuration.scopes { text.scopes(await scopes.service.tallies()) }
        return Response(
            status: .ok, headers: [.contentType: "text/plain; version=0.0.4; charset=utf-8"],
            body: ResponseBody(byteBuffer: ByteBuffer(bytes: text.bytes)))
    }
}

/// Checks and reads a request's body.
enum RequestBodyCheck {
    static func type(of request: Request, _ expected: String) throws(Refusal) {
        let fields = request.headers[values: .contentType]
        let type = fields.first?.prefix { $0 != ";" }.lowercased() ?? ""
        guard fields.count == 1, type.trimmingSpaces() == expected else {
            throw Refusal(.unsupportedType, "the Content-Type is not \(expected): send that one")
        }
    }

    static func noCoding(of request: Request) throws(Refusal) {
        guard request.headers[values: .contentEncoding].allSatisfy({ $0.lowercased() == "identity" }) else {
            throw Refusal(.unsupportedCoding, "messages have no Content-Encoding: send them as they are")
        }
    }

    /// Reads a whole body into memory.
    static func bytes(
        of request: Request, byteCountMax: Int, _ channel: (any Channel)?
    ) async throws(Refusal) -> [UInt8] {
        let tooLarge = Refusal(.tooLarge, "the body has more than \(byteCountMax) bytes: send less at once")
        if let length = request.headers[.contentLength], (Int(length) ?? .max) > byteCountMax { throw tooLarge }
        channel?.triggerUserOutboundEvent(BodyIsWanted(), promise: nil)
        var bytes: [UInt8] = []
        do {
            for try await buffer in request.body {
                guard bytes.count + buffer.readableBytes <= byteCountMax else { throw tooLarge }
                bytes += buffer.readableBytesView
            }
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw Refusal(.badRequest, "the body broke off: nothing of it was performed")
        }
        return bytes
    }
}

extension String {
    func trimmingSpaces() -> String {
        var text = Substring(self)
        while text.first == " " || text.first == "\t" { text.removeFirst() }
        while text.last == " " || text.last == "\t" { text.removeLast() }
        return String(text)
    }
}
