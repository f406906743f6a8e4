import TidemarkHTTP
import TidemarkHTTPRules
import TidemarkJSON
import TidemarkMessages
import TidemarkModel
import TidemarkViews

/// A JSON-RPC server that makes edits, by `mutation.send` with the claims of the token, the scope and its parameters.
package struct ScopeEditServer: ScopeEditUpstream {
    private let url: HTTPURL
    private let timeout: Duration
    private let transport: any HTTPTransport

    /// The most bytes of a response: 1 MiB, which are stored for a day.
    private static let answerByteCountMax = 1 << 20

    /// Creates a server; it connects with the first edit.
    ///
    /// - Parameter timeout: How long a complete response may take.
    package init(_ url: HTTPURL, timeout: Duration = .seconds(30), transport: any HTTPTransport = CurlTransport()) {
        self.url = url
        self.timeout = timeout
        self.transport = transport
    }

    /// Makes an edit.
    package func send(_ edit: ScopeEditCall) async -> ScopeEditOutcome {
        let body = MessageLine.call(id: "1", "mutation.send") { line in
            line.member("pending_id", Optional(edit.pendingID))
            line.member("method", Optional(edit.method))
            line.member("input", json: Optional(edit.input))
            line.member("attempt", 1)
            line.member("changes", json: Optional(edit.changes))
            line.member("scope", Optional(edit.scope))
            line.member("params", json: Optional(edit.parameters))
            line.member("claims", json: Optional(edit.claims))
        }
        var fields = HeaderFields()
        fields.append("Content-Type", "application/json")
        fields.append("Accept", "application/json")
        do throws(ExchangeError) {
            let answer = try await transport.exchange(
                HTTPExchange(method: "POST", url: url, fields: fields, body: body, timeout: timeout))
            guard answer.head.status == 200 else {
                answer.body.cancel()
                return .unavailable
            }
            return ScopeEditServer.outcome(
                try await answer.body.bytes(byteCountMax: ScopeEditServer.answerByteCountMax))
        } catch {
            return .unavailable
        }
    }

    /// Reads a response. What is none of JSON-RPC tells nothing of the edit.
    static func outcome(_ text: [UInt8]) -> ScopeEditOutcome {
        do { _ = try RuleNode(text: text, name: "the response") } catch { return .unavailable }
        let members = JSONSlice(validated: text[...]).members ?? [:]
        if let result = members["result".bytes], result.kind == .object {
            return .confirmed(result: Array(result.bytes))
        }
        guard let error = members["error".bytes], let parts = error.members else { return .unavailable }
        if parts["data".bytes]?.members?["retry".bytes]?.bool == true { return .unavailable }
        return .refused(error: Array(error.bytes))
    }
}
