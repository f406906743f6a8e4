import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import TidemarkJSON
import TidemarkLiveScopes
import TidemarkModel
import TidemarkScopes

extension CacheServer {
    /// Hands an edit to the service behind, once for its author and id.
    func edit(_ name: String, _ request: Request, _ channel: (any Channel)?) async throws(Refusal) -> Response {
        let (routes, identity) = try await authenticate(request.head)
        let query = try await scopeQuery(name, request.head, routes, identity)
        guard let upstream = routes.edits else { throw Refusal(.notFound, "this server hands no edits on") }
        try RequestBodyCheck.type(of: request, "application/json")
        try RequestBodyCheck.noCoding(of: request)
        let body = try await RequestBodyCheck.bytes(
            of: request, byteCountMax: configuration.limits.messageByteCountMax, channel)
        let members = try ScopeCall.members(of: body)
        guard let pendingID = members["pending_id".bytes]?.text, 1...1_024 ~= pendingID.count,
            let method = members["method".bytes]?.text, !method.isEmpty
        else { throw Refusal(.badRequest, "the edit needs pending_id, of 1 to 1,024 bytes, and method, as strings") }
        let changes = members["changes".bytes].map { Array($0.bytes) } ?? Array("[]".utf8)
        let parameters = ScopeEditCall.object(query.parameters)
        let sent = ScopeEditCall(
            pendingID: ByteString(pendingID), method: ByteString(method),
            input: members["input".bytes].map { Array($0.bytes) } ?? Array("null".utf8), changes: changes,
            scope: ByteString(name), parameters: parameters, claims: identity.claims)
        let digest = SHA256Digest(of: parameters + [0] + body).hexadecimal
        let answer: EditAnswer
        do throws(ScopeRefusal) {
            answer = try await routes.service.edit(
                ScopeRequest(name, identity, query.parameters), pendingID: sent.pendingID,
                digest: ByteString(digest), changes: changes, send: { await upstream.send(sent).outcome })
        } catch {
            throw Refusal(error)
        }
        return try CacheServer.response(to: answer)
    }

    private static func response(to answer: EditAnswer) throws(Refusal) -> Response {
        switch answer {
        case .reused: throw Refusal(.pendingIDReused, "another edit has this pending_id: choose another one")
        case .outcome(.unavailable): throw Refusal(.editUnavailable, "the edit could not be made now: send it again")
        case .outcome(.confirmed(let result)): return json(envelope("result", result))
        case .outcome(.refused(let error)): return json(envelope("error", error), status: .conflict)
        }
    }

    private static func envelope(_ name: ByteString, _ value: [UInt8]) -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("jsonrpc", Optional("2.0" as ByteString))
            line.member("id", nil as ByteString?)
            line.member(name, json: Optional(value))
        }
        return line.bytes + [0x0A]
    }
}
