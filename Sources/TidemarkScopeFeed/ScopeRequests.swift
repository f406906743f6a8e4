import Tidemark
import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkStore

/// The requests of a scope beside its stream: missing lines, and edits.
///
/// A refused token is renewed once, and the request is sent again.
struct ScopeRequests: Sendable {
    let address: ScopeAddress
    let token: ScopeToken
    let transport: any HTTPTransport
    let limits: Limits
    let timeout: Duration

    /// The most bytes of an answer: 16 MiB, as one line.
    private static let answerByteCountMax = 16 << 20

    /// Asks for the lines from a sequence on.
    ///
    /// - Throws: ``/Tidemark/UpstreamError``; final when the server cannot serve them any more.
    func events(
        since sequence: EventSequence, epoch: ByteString
    ) async throws(UpstreamError) -> UpstreamResponse {
        let body = MessageLine.call(id: "1", "events.since.v1") { line in line.member("sequence", sequence) }
        let url = try address.request("", [("epoch", epoch.description)])
        let (status, answer) = try await post(body, to: url)
        guard status == 200 else { throw refusal(status, answer) }
        guard let value = MessageText.value(of: answer, limits: limits),
            case .answer(_, let outcome) = Message(value)
        else { throw UpstreamError("the scope's answer to events.since.v1 is not one of JSON-RPC") }
        switch outcome {
        case .result(let result): return try UpstreamResponse(result: result, of: "the scope")
        case .error(_, let message, let code, _):
            throw UpstreamError("the scope says: \(message)", isFinal: true, isRefusal: true, code: code)
        }
    }

    /// Sends an edit.
    ///
    /// - Throws: ``/Tidemark/UpstreamError``; a refusal with `retries` false is final.
    func send(_ mutation: SentMutation) async throws(UpstreamError) -> OptimisticCommit {
        var line = JSONLine()
        line.object { line in
            line.member("pending_id", Optional(mutation.pendingID))
            line.member("method", Optional(mutation.method))
            line.member("input", json: Optional(mutation.input))
            line.name("changes")
            line.array { line in
                for change in mutation.changes { line.value(change) }
            }
        }
        let (status, answer) = try await post(line.bytes, to: try address.request("/edits"))
        guard status == 200 else { throw refusal(status, answer) }
        let value = try json(answer)
        let result = JSONSlice(compact: (value["result"] ?? value).bytes[...])
        do throws(CacheError) {
            let reader = RequestReader(limits: limits, defaultLibrary: mutation.library)
            return try reader.commit(Params(result, path: "result"), pendingID: mutation.pendingID)
        } catch {
            throw UpstreamError("the answer to an edit cannot be used: \(error.message)", isRefusal: true)
        }
    }

    private func post(_ body: [UInt8], to url: HTTPURL) async throws(UpstreamError) -> (status: Int, body: [UInt8]) {
        let first = try await value()
        let answer = try await post(body, to: url, first)
        guard answer.status == 401 else { return answer }
        return try await post(body, to: url, try await value(insteadOf: first))
    }

    private func value(insteadOf refused: String? = nil) async throws(UpstreamError) -> String {
        do {
            return try await token.value(insteadOf: refused)
        } catch {
            throw UpstreamError("no token: \(error)", retries: true)
        }
    }

    private func post(
        _ body: [UInt8], to url: HTTPURL, _ token: String
    ) async throws(UpstreamError) -> (status: Int, body: [UInt8]) {
        var fields = HeaderFields()
        fields.append("Authorization", "Bearer \(token)")
        fields.append("Content-Type", "application/json")
        fields.append("Accept", "application/json")
        do throws(ExchangeError) {
            let answer = try await transport.exchange(
                HTTPExchange(method: "POST", url: url, fields: fields, body: body, timeout: timeout))
            return (answer.head.status, try await answer.body.bytes(byteCountMax: ScopeRequests.answerByteCountMax))
        } catch {
            throw UpstreamError("the scope's server: \(error.message)", code: error.code.rawValue)
        }
    }

    /// Returns the error of an answer that is no success: passing for 401, 408, 429 and from 500 on, else final.
    private func refusal(_ status: Int, _ body: [UInt8]) -> UpstreamError {
        var message = "status \(status)"
        var code: String? = [401: "unauthorized", 403: "forbidden", 404: "not_found"][status]
        do throws(UpstreamError) {
            let error = try json(body)["error"]
            message = error?["message"]?.string ?? error?.string ?? message
            code = error?["data"]?["code"]?.string ?? error?["code"]?.string ?? code
        } catch {
            // An answer without a JSON body, as a proxy sends it, still has its status.
        }
        let isPassing = [401, 408, 429].contains(status) || status >= 500
        return UpstreamError(
            "the scope says: \(message)", isFinal: !isPassing, isRefusal: true, retries: isPassing, code: code)
    }

    private func json(_ bytes: [UInt8]) throws(UpstreamError) -> JSONValue {
        do throws(JSONSyntaxError) {
            return try JSONValue(parsing: bytes)
        } catch {
            throw UpstreamError("the scope's answer is no JSON: \(error)")
        }
    }
}
