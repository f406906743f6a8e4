import Synchronization
import Tidemark
import TidemarkHTTPRules
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// A JSON-RPC server over HTTP as the cache's upstream, for missing events and for queries.
///
/// Every call is one POST to a fixed URL. Redirects are not followed, because the request may carry credentials.
///
/// - Source: Protocol/serving.md, upstream.
package struct ServerUpstream: Upstream, QueryUpstream {
    private let url: HTTPURL
    private let fields: HeaderFields
    private let timeout: Duration
    private let transport: any HTTPTransport
    private let limits: Limits

    /// The maximum size of a response body: 16 MiB, the same as one line of a host.
    private static let answerByteCountMax = 16 << 20
    private static let name = "the upstream"

    /// Creates an upstream; it connects with the first call.
    ///
    /// - Parameters:
    ///   - url: The address of every call.
    ///   - fields: Additional header fields of every request.
    ///   - timeout: How long a complete response may take.
    ///   - transport: Performs the exchanges.
    ///   - limits: Limits on what a response may contain.
    package init(
        _ url: HTTPURL, fields: HeaderFields, timeout: Duration, transport: any HTTPTransport, limits: Limits
    ) {
        self.url = url
        self.fields = fields
        self.timeout = timeout
        self.transport = transport
        self.limits = limits
    }

    /// Requests the events from `sequence` on with `events.since.v1`.
    ///
    /// - Throws: ``UpstreamError`` if the call fails, or its result cannot be used.
    package func events(
        since sequence: EventSequence, of library: ByteString
    ) async throws(UpstreamError) -> UpstreamResponse {
        let result = try await call("events.since.v1") { line in
            line.member("library_id", library)
            line.member("sequence", sequence)
        }
        return try UpstreamResponse(result: result, of: ServerUpstream.name)
    }

    /// Requests the result of a query with `query.fetch`.
    ///
    /// - Throws: ``UpstreamError`` if the call fails, or its result cannot be used.
    package func fetch(_ query: QueryKey) async throws(UpstreamError) -> QueryResult {
        let result = try await call("query.fetch") { line in
            line.member("method", Optional(query.method))
            line.member("input", json: Optional(query.input.bytes))
            line.member("library_id", Optional(query.library))
        }
        return try QueryResult(result: result, of: ServerUpstream.name, limits: limits)
    }

    // MARK: One call

    private func call(
        _ method: ByteString, _ params: (inout JSONLine) -> Void
    ) async throws(UpstreamError) -> JSONSlice {
        let request = MessageLine.call(id: "1", method, params)
        let answer = try await exchange(request)
        guard case .answer(let id, let outcome) = try message(answer), id == "1" else {
            throw UpstreamError("\(ServerUpstream.name)'s answer to \(method) is not one of JSON-RPC with its id")
        }
        switch outcome {
        case .result(let value): return value
        case .error(let code, let message, let name, let retries):
            throw UpstreamError(
                "\(ServerUpstream.name) says: \(message)", isFinal: code == ServerUpstream.methodNotFound,
                isRefusal: true, retries: retries, code: name)
        }
    }

    /// JSON-RPC's error code for an unknown method.
    private static let methodNotFound: Int64 = -32_601

    private func exchange(_ body: [UInt8]) async throws(UpstreamError) -> [UInt8] {
        var sent = HeaderFields()
        sent.append("Content-Type", "application/json")
        sent.append("Accept", "application/json")
        for field in fields.fields {
            sent.remove(field.name.description.lowercased())
            sent.fields.append(field)
        }
        do throws(ExchangeError) {
            let answer = try await transport.exchange(
                HTTPExchange(method: "POST", url: url, fields: sent, body: body, timeout: timeout))
            guard answer.head.status == 200 else {
                answer.body.cancel()
                throw ExchangeError(.connectionLost, "it answered with status \(answer.head.status)")
            }
            return try await answer.body.bytes(byteCountMax: ServerUpstream.answerByteCountMax)
        } catch {
            throw UpstreamError("\(ServerUpstream.name): \(error.message)", code: error.code.rawValue)
        }
    }

    private func message(_ text: [UInt8]) throws(UpstreamError) -> Message {
        guard let value = MessageText.value(of: text, limits: limits) else {
            throw UpstreamError("\(ServerUpstream.name)'s answer is not JSON-RPC")
        }
        return Message(value)
    }
}
