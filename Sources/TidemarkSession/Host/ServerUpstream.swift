import Synchronization
import Tidemark
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkModel
import TidemarkStore
import TidemarkWire

/// A server of JSON-RPC over HTTP as the upstream of a cache: for missing events, and for queries.
///
/// Every call is one POST to exactly one address. A redirect is not followed: the request may carry credentials.
///
/// - Source: Protocol/serving.md, upstream.
package struct ServerUpstream: Upstream, QueryUpstream {
    private let url: HTTPURL
    private let fields: HeaderFields
    private let timeout: Int64
    private let transport: any HTTPTransport
    private let limits: Limits

    /// The largest body of an answer: 16 MiB, as much as one line of a host.
    private static let answerByteCountMax = 16 << 20
    private static let name = "the upstream"

    /// - Parameters:
    ///   - fields: Further fields of every request.
    ///   - timeout: The milliseconds in which a whole answer must come.
    package init(
        _ url: HTTPURL, fields: HeaderFields, timeout: Int64, transport: any HTTPTransport, limits: Limits
    ) {
        self.url = url
        self.fields = fields
        self.timeout = timeout
        self.transport = transport
        self.limits = limits
    }

    package func events(
        since sequence: EventSequence, of library: ByteString
    ) async throws(UpstreamError) -> UpstreamAnswer {
        let result = try await call("events.since.v1") { line in
            line.member("library_id", library)
            line.member("sequence", sequence)
        }
        return try UpstreamAnswer(result: result, of: ServerUpstream.name)
    }

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

    /// The error code for a method that the server does not have.
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
