import Foundation
import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import Tidemark
import TidemarkJSON
import TidemarkLiveScopes
import TidemarkModel
import TidemarkScopes
import TidemarkViews

/// The paths of scopes. Their token is checked first, then the name, then the rest of the request.
extension CacheServer {
    // MARK: Streams

    /// Answers a request for a stream on the server's own port.
    func openScope(_ name: String, _ head: HTTPRequest) async throws(Refusal) -> StreamAnswer {
        let (stream, text) = try await sentScope(name, head)
        return StreamAnswer(stream, text.fields)
    }

    /// Answers a request for a stream on a program's own router, with a task that sends its lines.
    func openScope(_ name: String, _ request: Request) async throws(Refusal) -> Response {
        let (stream, text) = try await sentScope(name, request.head)
        return Response(
            status: .ok, headers: text.fields,
            body: ResponseBody { writer in
                try await request.body.consumeWithCancellationOnInboundClose { _ in
                    while let step = await stream.next() {
                        switch step {
                        case .wait: continue
                        case .send(let text, let hasRoom):
                            if hasRoom { await stream.tellRoom() }
                            if !text.isEmpty { try await writer.write(ByteBuffer(bytes: text)) }
                        case .end(let text): return try await writer.write(ByteBuffer(bytes: text))
                        case .cut: throw CancellationError()
                        }
                    }
                }
                try await writer.finish(nil)
            })
    }

    private func sentScope(_ name: String, _ head: HTTPRequest) async throws(Refusal) -> (SentScope, ScopeText) {
        let (routes, identity) = try await authenticate(head)
        let query = try await scopeQuery(name, head, routes, identity)
        let resumption = query.resumption(lastEventID: head.headerFields[values: .lastEventID].first)
        let text = ScopeText(head.headerFields)
        let stream: ScopeStream
        do throws(ScopeRefusal) {
            stream = try await routes.open(ScopeRequest(name, identity, query.parameters), resumption, for: identity)
        } catch {
            throw Refusal(error)
        }
        return (try SentScope(stream, routes, text, clock: configuration.clock), text)
    }

    /// Returns the head of a stream, without one.
    func scopeHead(_ name: String, _ head: HTTPRequest) async throws(Refusal) -> Response {
        let (routes, identity) = try await authenticate(head)
        let query = try await scopeQuery(name, head, routes, identity)
        do throws(ScopeRefusal) {
            try await routes.service.check(ScopeRequest(name, identity, query.parameters))
        } catch {
            throw Refusal(error)
        }
        return Response(status: .ok, headers: ScopeText(head.headerFields).fields)
    }

    // MARK: Missing lines

    /// Answers `events.since.v1`.
    func missingLines(
        _ name: String, _ request: Request, _ channel: (any Channel)?
    ) async throws(Refusal) -> Response {
        let (routes, identity) = try await authenticate(request.head)
        let query = try await scopeQuery(name, request.head, routes, identity)
        try RequestBodyCheck.type(of: request, "application/json")
        try RequestBodyCheck.noCoding(of: request)
        let body = try await RequestBodyCheck.bytes(of: request, byteCountMax: 64 << 10, channel)
        let call = try ScopeCall(body)
        guard call.method == "events.since.v1" else {
            return CacheServer.json(call.error(-32601, nil, "the method is not there: use events.since.v1"))
        }
        guard let sequence = call.params?["sequence".bytes]?.integer, sequence > 0 else {
            return CacheServer.json(call.error(1004, "invalid_params", "sequence is not a number from 1"))
        }
        let request = ScopeRequest(name, identity, query.parameters)
        guard let epoch = query.epoch,
            let resumption = ScopeReader.Resumption(after: UInt64(sequence) - 1, epoch: epoch)
        else {
            do throws(ScopeRefusal) { try await routes.service.check(request) } catch { throw Refusal(error) }
            return CacheServer.json(call.epochOver)
        }
        do throws(ScopeRefusal) {
            let lines = try await routes.service.lines(request, since: resumption)
            return CacheServer.json(call.events(lines, after: UInt64(sequence) - 1))
        } catch {
            if error == .epochOver { return CacheServer.json(call.epochOver) }
            throw Refusal(error)
        }
    }

    // MARK: Who asks

    /// Checks the token of a request for a scope.
    func authenticate(_ head: HTTPRequest) async throws(Refusal) -> (ScopeRoutes, ScopeIdentity) {
        guard let routes = configuration.scopes else { throw Refusal(.notFound, "this server has no scopes") }
        let fields = head.headerFields[values: .authorization]
        let scheme = "bearer "
        guard fields.count == 1, let field = fields.first, field.prefix(scheme.count).lowercased() == scheme else {
            throw Refusal(.unauthorized, "send the token of the scope as Authorization: Bearer")
        }
        let now = Date(timeIntervalSince1970: Double(configuration.clock.now()) / 1_000)
        do throws(ScopeTokenError) {
            let bearer = String(field.dropFirst(scheme.count))
            return (routes, try await routes.authenticator.authenticate(bearer: bearer, now: now))
        } catch {
            throw Refusal(error.status == 431 ? .headTooLarge : .unauthorized, error.message)
        }
    }

    /// Reads the address. An unknown scope is refused before anything else of it.
    func scopeQuery(
        _ name: String, _ head: HTTPRequest, _ routes: ScopeRoutes, _ identity: ScopeIdentity
    ) async throws(Refusal) -> ScopeQuery {
        guard await routes.service.hasScope(ByteString(name)) else { throw Refusal(.request(.notFound)) }
        return try ScopeQuery(path: head.path ?? "")
    }
}

extension Refusal {
    /// Creates the refusal of a request for a scope. Its text has nothing of any entity, claim or rule.
    init(_ refusal: ScopeRefusal) {
        switch refusal {
        case .request(let error):
            let code: Code =
                switch error {
                case .notFound: .notFound
                case .badRequest: .badRequest
                case .forbidden: .forbidden
                case .tooMany: .tooManyStreams
                }
            self.init(code, error.message)
        case .tooManyStreams: self.init(.tooManyStreams, "there are too many streams: close one, or try again later")
        case .unavailable: self.init(.storageFailed, "the scope cannot be read now: try again later")
        case .epochOver: self.init(.badRequest, "the epoch is over: ask for a state")
        }
    }
}

extension String {
    var bytes: [UInt8] { Array(utf8) }
}
