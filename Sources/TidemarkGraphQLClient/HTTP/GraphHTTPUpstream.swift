import Synchronization
import Tidemark
import TidemarkGraphQL
import TidemarkGraphQLStore
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// A server of GraphQL that is asked by HTTP: POST with JSON, an answer whole or in parts.
///
/// - Source: Protocol/graphql.md, endpoints; the GraphQL over HTTP specification.
package final class GraphHTTPUpstream: GraphUpstream {
    /// The receiver of a subscription's payloads.
    package struct Sink: Sendable {
        /// Takes a payload.
        package var next: @Sendable (AnswerParts, UInt64) async -> Void
        /// Ends the subscription, with an error where there is one.
        package var end: @Sendable (UInt64, String?) async -> Void

        package init(
            next: @escaping @Sendable (AnswerParts, UInt64) async -> Void,
            end: @escaping @Sendable (UInt64, String?) async -> Void
        ) {
            self.next = next
            self.end = end
        }
    }

    private let endpoint: GraphEndpoint
    private let transport: any HTTPTransport
    private let clock: any CacheClock
    private let sink: Sink
    /// The subscriptions that are read, by the number of their fetch. Bounded by the cache's subscriptions.
    private let streams = Mutex<[UInt64: Task<Void, Never>]>([:])

    package init(_ endpoint: GraphEndpoint, transport: any HTTPTransport, clock: any CacheClock, sink: Sink) {
        self.endpoint = endpoint
        self.transport = transport
        self.clock = clock
        self.sink = sink
    }

    package func ask(_ request: GraphUpstreamRequest) async throws(UpstreamError) -> AnswerParts {
        let answer = try await send(request)
        let type = answer.head.fields.first("content-type").flatMap { MediaType($0) }
        guard 200...299 ~= answer.head.status else { return try await refusal(answer, type) }
        if let type, type.name == "multipart/mixed" {
            return try await parts(of: answer, type, request)
        }
        guard let type, type.isJSON else {
            answer.body.cancel()
            let name = answer.head.fields.first("content-type")?.description ?? "none"
            throw failure(answer.head.status, "content_type", "its Content-Type is \(name), not JSON")
        }
        let body = try await whole(answer)
        do throws(AnswerFault) {
            return try AnswerParts(body)
        } catch {
            throw failure(answer.head.status, "not_graphql", "its answer \(error.message)", body: body)
        }
    }

    package func stop(fetch: UInt64) {
        streams.withLock { $0.removeValue(forKey: fetch) }?.cancel()
    }

    // MARK: One exchange

    private func send(_ request: GraphUpstreamRequest) async throws(UpstreamError) -> HTTPExchangeAnswer {
        var body = JSONLine()
        body.object { line in
            line.member("query", Optional(request.document))
            if let name = request.operationName { line.member("operationName", Optional(name)) }
            line.member("variables", json: Optional(request.variables.bytes))
        }
        var fields = HeaderFields()
        fields.append("Content-Type", "application/json")
        let isSubscription = request.kind == .subscription
        fields.append("Accept", isSubscription ? DeliverySpec.acceptSubscriptions : DeliverySpec.acceptAnswers)
        for field in endpoint.fields.fields {
            fields.remove(field.name.description.lowercased())
            fields.fields.append(field)
        }
        if let pendingID = request.pendingID {
            // A field is one line of visible characters; ids of another kind are sent in JSON's spelling.
            let isPlain = pendingID.bytes.allSatisfy { $0 > 0x20 && $0 < 0x7F }
            fields.fields.append(.init(endpoint.pendingField, isPlain ? pendingID : escaped(pendingID)))
        }
        let exchange = HTTPExchange(
            method: "POST", url: endpoint.url, fields: fields, body: body.bytes,
            timeout: isSubscription ? GraphHTTPUpstream.streamTimeout : endpoint.timeout)
        do throws(ExchangeError) {
            return try await transport.exchange(exchange)
        } catch {
            throw failure(nil, error.code.rawValue, error.message)
        }
    }

    /// The time that a subscription may take in all: a year, in milliseconds.
    private static let streamTimeout: Int64 = 365 * 86_400_000

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

    private func whole(_ answer: HTTPExchangeAnswer) async throws(UpstreamError) -> [UInt8] {
        do throws(ExchangeError) {
            return try await answer.body.bytes(byteCountMax: GraphEndpoint.answerByteCountMax)
        } catch {
            throw failure(answer.head.status, error.code.rawValue, error.message)
        }
    }

    /// Follows an answer with another status than success.
    private func refusal(
        _ answer: HTTPExchangeAnswer, _ type: MediaType?
    ) async throws(UpstreamError) -> AnswerParts {
        let status = answer.head.status
        var body: [UInt8] = []
        do throws(ExchangeError) {
            body = try await answer.body.bytes(byteCountMax: GraphEndpoint.answerByteCountMax)
        } catch {
            // The status says enough.
            body = []
        }
        // Servers of the newer type answer documents that they refuse with 4xx and errors: that is a result.
        if 400...499 ~= status, type?.name == "application/graphql-response+json" {
            do throws(AnswerFault) {
                let parts = try AnswerParts(body)
                if parts.errors != nil { return parts }
            } catch {
                // A body that is no answer is shown in the error.
            }
        }
        let reason = 300...399 ~= status ? "redirect_failed" : "status"
        var error = failure(
            status, reason, "it answered with status \(status)", body: body, isRefusal: 400...499 ~= status)
        // Too early, or too many requests: the same request may be taken later.
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

    // MARK: Answers in parts

    private func parts(
        of answer: HTTPExchangeAnswer, _ type: MediaType, _ request: GraphUpstreamRequest
    ) async throws(UpstreamError) -> AnswerParts {
        guard let spec = DeliverySpec(type), (spec == .subscription1) == (request.kind == .subscription) else {
            answer.body.cancel()
            let name = answer.head.fields.first("content-type")?.description ?? "none"
            throw failure(
                answer.head.status, "content_type", "its Content-Type \(name) names no spec that is known here")
        }
        guard let boundary = type.parameters["boundary"] else {
            answer.body.cancel()
            throw failure(answer.head.status, "content_type", "its multipart body names no boundary")
        }
        let reader: PartReader
        do throws(MultipartReader.Fault) {
            reader = PartReader(
                answer.body,
                try MultipartReader(boundary: boundary, partByteCountMax: GraphEndpoint.answerByteCountMax),
                timeout: endpoint.timeout, clock)
        } catch {
            answer.body.cancel()
            throw failure(answer.head.status, "content_type", "the boundary of its multipart body cannot be used")
        }
        if spec == .subscription1 {
            begin(request.fetch, reader)
            return AnswerParts(data: Array("null".utf8), errors: nil, hasNext: true)
        }
        return try await gathered(reader, spec, answer.head.status)
    }

    /// Puts an answer together from all its parts.
    private func gathered(
        _ reader: PartReader, _ spec: DeliverySpec, _ status: Int
    ) async throws(UpstreamError) -> AnswerParts {
        var answer = IncrementalAnswer(spec)
        var byteCount = 0
        while answer.hasNext {
            let payload: JSONValue
            do throws(PartReader.Fault) {
                guard let next = try await reader.next() else {
                    throw PartReader.Fault(reason: "premature_end", message: "its answer ended before the last part")
                }
                payload = next.payload
                byteCount += next.byteCount
                guard byteCount <= GraphEndpoint.answerByteCountMax else {
                    throw PartReader.Fault(reason: "limit_exceeded", message: "its answer is larger than 64 MiB")
                }
            } catch {
                reader.cancel()
                throw failure(status, error.reason, error.message)
            }
            do throws(IncrementalAnswer.Fault) {
                _ = try answer.apply(payload)
            } catch {
                reader.cancel()
                throw failure(status, "not_graphql", error.message)
            }
        }
        reader.cancel()
        do throws(AnswerFault) {
            var parts = try AnswerParts(answer.answer.bytes)
            parts.failedFragments = answer.failed.map { fragment in
                AnswerParts.FailedFragment(
                    path: JSONValue.array(fragment.path).bytes, label: fragment.label.map { ByteString($0) })
            }
            return parts
        } catch {
            throw failure(status, "not_graphql", "its answer \(error.message)")
        }
    }

    /// Reads a subscription until it ends.
    private func begin(_ fetch: UInt64, _ reader: PartReader) {
        let task = Task { [sink] in
            var error: String?
            var isOver = false
            while !isOver, !Task.isCancelled {
                do throws(PartReader.Fault) {
                    guard let next = try await reader.next() else {
                        if !reader.isWhole { error = "premature_end: the subscription ended before its last part" }
                        break
                    }
                    isOver = await GraphHTTPUpstream.deliver(next.payload, fetch, sink, &error)
                } catch {
                    break
                }
            }
            reader.cancel()
            await sink.end(fetch, error ?? reader.failure)
        }
        streams.withLock { $0[fetch] = task }
    }

    /// Hands over one payload of a subscription.
    ///
    /// - Returns: Whether it was the last one.
    private static func deliver(
        _ payload: JSONValue, _ fetch: UInt64, _ sink: Sink, _ error: inout String?
    ) async -> Bool {
        if let errors = payload["errors"], payload["payload"] != nil || payload["data"] == nil, !errors.isNull {
            error = errors.elements?.first?["message"]?.string ?? "the server ended the subscription with an error"
        }
        if let body = payload["payload"], !body.isNull {
            do throws(AnswerFault) {
                var parts = try AnswerParts(body.bytes)
                parts.hasNext = true
                await sink.next(parts, fetch)
            } catch let fault {
                error = "a payload \(fault.message)"
            }
        }
        return error != nil
    }
}
