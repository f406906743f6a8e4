import Synchronization
import Tidemark
import TidemarkGraphQLLanguage
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore
import TidemarkJSON

/// A GraphQL server that is reached over HTTP: POST with JSON, and responses whole or in parts.
///
/// - Source: Protocol/graphql.md, endpoints; the GraphQL over HTTP specification.
package final class GraphQLHTTPUpstream: GraphQLUpstream {
    private let endpoint: DocumentServer
    private let transport: any HTTPTransport
    private let clock: any CacheClock
    private let formats: DeliveryRegistry
    /// The responses in parts being read, by the number of their fetch. Bounded by the cache's fetches.
    private let open = Mutex<[UInt64: PartReader]>([:])

    /// Creates an upstream.
    ///
    /// - Parameters:
    ///   - endpoint: The server and the headers of its requests.
    ///   - transport: Performs the exchanges.
    ///   - clock: Measures the time limits.
    ///   - formats: The accepted formats for responses in parts.
    package init(
        _ endpoint: DocumentServer, transport: any HTTPTransport, clock: any CacheClock,
        formats: DeliveryRegistry = .standard
    ) {
        self.endpoint = endpoint
        self.transport = transport
        self.clock = clock
        self.formats = formats
    }

    /// True: this upstream applies the time limit itself.
    package var keepsTime: Bool { true }

    /// Sends a document to the server and returns its response, or the reader of its parts.
    package func ask(_ request: GraphQLUpstreamRequest) async throws(UpstreamError) -> GraphQLUpstreamResponse {
        let deadline = Deadline(endpoint.timeout, clock)
        defer { deadline.end() }
        let answer = try await send(request, deadline)
        let type = answer.head.fields.first("content-type").flatMap { MediaType($0) }
        guard 200...299 ~= answer.head.status else { return .whole(try await refusal(answer, type, deadline)) }
        if let type, type.name == "multipart/mixed" {
            return try parts(of: answer, type, request)
        }
        guard let type, type.isJSON else {
            answer.body.cancel()
            let name = answer.head.fields.first("content-type")?.description ?? "none"
            throw failure(answer.head.status, "content_type", "its Content-Type is \(name), not JSON")
        }
        let body = try await whole(answer, deadline)
        do throws(ResponseError) {
            return .whole(try ResponseParts(body))
        } catch {
            throw failure(answer.head.status, "not_graphql", "its answer \(error.message)", body: body)
        }
    }

    /// Ends a response in parts that nobody waits for any more.
    package func stop(fetch: UInt64) {
        open.withLock { $0.removeValue(forKey: fetch) }?.stop()
    }

    // MARK: One exchange

    private func send(
        _ request: GraphQLUpstreamRequest, _ deadline: Deadline
    ) async throws(UpstreamError) -> HTTPExchangeResponse {
        var body = JSONLine()
        body.object { line in
            line.member("query", Optional(request.document))
            if let name = request.operationName { line.member("operationName", Optional(name)) }
            line.member("variables", json: Optional(request.variables.bytes))
        }
        var fields = HeaderFields()
        fields.append("Content-Type", "application/json")
        let isSubscription = request.kind == .subscription
        fields.append("Accept", isSubscription ? formats.acceptSubscriptions : formats.acceptAnswers)
        for field in endpoint.fields.fields {
            fields.remove(field.name.description.lowercased())
            fields.fields.append(field)
        }
        if let pendingID = request.pendingID {
            // A header is one line of visible characters, so other ids are sent with the escapes of JSON.
            let isPlain = pendingID.bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            fields.fields.append(.init(endpoint.pendingField, isPlain ? pendingID : escaped(pendingID)))
        }
        let exchange = HTTPExchange(
            method: "POST", url: endpoint.url, fields: fields, body: body.bytes, timeout: endpoint.timeout,
            connectTimeout: min(endpoint.timeout, DocumentServer.connectTimeoutMax),
            streamTimeout: GraphQLHTTPUpstream.streamTimeout)
        // A task of its own, so that the time limit can end the exchange without cancelling the caller's task.
        let asking = Task { [transport] in
            do throws(ExchangeError) {
                return Result<HTTPExchangeResponse, ExchangeError>.success(try await transport.exchange(exchange))
            } catch {
                return .failure(error)
            }
        }
        deadline.giveUp { asking.cancel() }
        let result = await withTaskCancellationHandler {
            await asking.value
        } onCancel: {
            asking.cancel()
        }
        switch result {
        case .success(let answer): return answer
        case .failure(let error): throw late(nil, error, deadline)
        }
    }

    private func late(_ status: Int?, _ error: ExchangeError, _ deadline: Deadline) -> UpstreamError {
        guard deadline.isLate else { return failure(status, error.code.rawValue, error.message) }
        let reason = ExchangeCode.timedOut.rawValue
        return failure(
            status, reason,
            status == nil
                ? "no answer began within \(deadline.milliseconds) ms"
                : "its answer was not whole within \(deadline.milliseconds) ms")
    }

    /// The time limit for a whole response whose parts have time limits of their own: a year.
    private static let streamTimeout: Duration = .seconds(365 * 86_400)

    private func escaped(_ text: ByteString) -> ByteString {
        var ascii: [UInt8] = []
        for unit in text.description.utf16 {
            if unit > 0x20, unit < 0x7F {
                ascii.append(UInt8(unit))
            } else {
                let digits = String(unit, radix: 16)
                ascii += "\\u\(String(repeating: "0", count: 4 - digits.count))\(digits)".utf8
            }
        }
        return ByteString(ascii)
    }

    private func whole(
        _ answer: HTTPExchangeResponse, _ deadline: Deadline
    ) async throws(UpstreamError) -> [UInt8] {
        deadline.giveUp { answer.body.cancel() }
        do throws(ExchangeError) {
            return try await answer.body.bytes(byteCountMax: DocumentServer.answerByteCountMax)
        } catch {
            throw late(answer.head.status, error, deadline)
        }
    }

    /// Handles a response whose status is not a success.
    private func refusal(
        _ answer: HTTPExchangeResponse, _ type: MediaType?, _ deadline: Deadline
    ) async throws(UpstreamError) -> ResponseParts {
        deadline.giveUp { answer.body.cancel() }
        let status = answer.head.status
        var body: [UInt8] = []
        do throws(ExchangeError) {
            body = try await answer.body.bytes(byteCountMax: DocumentServer.answerByteCountMax)
        } catch {
            // The status is enough for the error.
            body = []
        }
        // Servers of the newer media type refuse documents with 4xx and errors: that is a result.
        if 400...499 ~= status, type?.name == "application/graphql-response+json" {
            do throws(ResponseError) {
                let parts = try ResponseParts(body)
                if parts.errors != nil { return parts }
            } catch {
                // A body that is not a GraphQL response is shown in the error.
            }
        }
        let reason = 300...399 ~= status ? "redirect_failed" : "status"
        var error = failure(
            status, reason, "it answered with status \(status)", body: body, isRefusal: 400...499 ~= status)
        // Time-out, too early, or too many requests: the same request may succeed later.
        if [408, 425, 429].contains(status) { error.retries = true }
        throw error
    }

    private func failure(
        _ status: Int?, _ reason: String, _ message: String, body: [UInt8]? = nil, isRefusal: Bool = false
    ) -> UpstreamError {
        var error = UpstreamError("the server of GraphQL: \(message)", isRefusal: isRefusal, code: reason)
        var statusLine = JSONLine()
        statusLine.value(status ?? 0)
        var bodyLine = JSONLine()
        bodyLine.value(ByteString(endpoint.excerpt(body ?? [])))
        var reasonLine = JSONLine()
        reasonLine.value(ByteString(reason))
        error.details = [
            CacheError.Detail("status", json: status == nil ? Array("null".utf8) : statusLine.bytes),
            CacheError.Detail("body", json: body == nil ? Array("null".utf8) : bodyLine.bytes),
            CacheError.Detail("reason", json: reasonLine.bytes),
        ]
        return error
    }

    // MARK: Responses in parts

    private func parts(
        of answer: HTTPExchangeResponse, _ type: MediaType, _ request: GraphQLUpstreamRequest
    ) throws(UpstreamError) -> GraphQLUpstreamResponse {
        let status = answer.head.status
        let isSubscription = request.kind == .subscription
        guard let format = formats.format(of: type), format.isSubscription == isSubscription else {
            answer.body.cancel()
            let name = answer.head.fields.first("content-type")?.description ?? "none"
            throw failure(status, "content_type", "its Content-Type is \(name), and no spec in it is known here")
        }
        guard let boundary = type.parameters["boundary"] else {
            answer.body.cancel()
            throw failure(status, "content_type", "its multipart body names no boundary")
        }
        let reader: PartReader
        do throws(MultipartReader.Fault) {
            reader = PartReader(
                answer.body,
                try MultipartReader(boundary: boundary, partByteCountMax: DocumentServer.answerByteCountMax),
                timeout: endpoint.timeout, clock,
                failure: { [self] in failure(status, $0, $1) },
                onStop: { [weak self] in self?.forget(request.fetch) })
        } catch {
            answer.body.cancel()
            throw failure(status, "content_type", "the boundary of its multipart body cannot be used")
        }
        open.withLock { $0[request.fetch] = reader }
        switch format.kind {
        case .answer(let parser): return .parts(reader, parser())
        case .subscription: return .stream(reader, .payloads)
        }
    }

    private func forget(_ fetch: UInt64) {
        open.withLock { $0[fetch] = nil }
    }
}
