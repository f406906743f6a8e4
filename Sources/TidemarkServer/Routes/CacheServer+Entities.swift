import HTTPTypes
import Hummingbird
import HummingbirdCore
import NIOCore
import TidemarkModel
import TidemarkStore
import TidemarkJSON

extension CacheServer {
    /// Answers as `entity.get`; a miss is 404 with the same body.
    func entity(_ type: String, _ id: String, _ request: Request) async throws(Refusal) -> Response {
        let items = try QueryItems(path: request.head.path ?? "", known: ["library_id"])
        let answer = await ask("entity.get") { line in
            line.member("resource_type", ByteString(type))
            line.member("id", ByteString(id))
            if let library = items["library_id"] { line.member("library_id", ByteString(library)) }
        }
        guard case .result(let result) = MessageAnswer(answer) else { return refused(answer) }
        let isMiss = result.members?[Array("entity".utf8)].map { $0.kind == .null } ?? true
        let body = Array(result.bytes) + [0x0A]
        if isMiss { return CacheServer.json(body, status: .notFound) }
        return CacheServer.tagged(body, request)
    }

    /// Answers as `entity.list`.
    func entities(_ type: String, _ request: Request) async throws(Refusal) -> Response {
        let items = try QueryItems(path: request.head.path ?? "", known: ["after", "limit", "library_id"])
        var limit: Int64?
        if let text = items["limit"] {
            guard let number = Int64(text) else { throw Refusal(.badRequest, "limit is not a number") }
            limit = number
        }
        let answer = await ask("entity.list") { line in
            line.member("resource_type", ByteString(type))
            if let after = items["after"] { line.member("after", ByteString(after)) }
            if let limit { line.member("limit", limit) }
            if let library = items["library_id"] { line.member("library_id", ByteString(library)) }
        }
        guard case .result(let result) = MessageAnswer(answer) else { return refused(answer) }
        return CacheServer.tagged(Array(result.bytes) + [0x0A], request)
    }

    private func ask(_ method: ByteString, _ params: (inout JSONLine) -> Void) async -> [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("jsonrpc", "2.0" as ByteString?)
            line.member("id", 1)
            line.member("method", Optional(method))
            line.name("params")
            line.object(params)
        }
        // No input reaches the empty answer: a request with an id is answered.
        return await source.answer(to: line.bytes, stream: nil) ?? []
    }

    /// Wraps an error of JSON-RPC in a response with the matching status.
    private func refused(_ answer: [UInt8]) -> Response {
        guard case .error(let code) = MessageAnswer(answer) else { return CacheServer.json(answer) }
        let status: HTTPResponse.Status =
            switch code {
            case "storage_failed": .serviceUnavailable
            case "read_only": .forbidden
            default: .badRequest
            }
        return CacheServer.json(answer, status: status)
    }

    /// Returns a response with an `ETag`; a 304 without a body if the client already has it.
    static func tagged(_ body: [UInt8], _ request: Request) -> Response {
        let checksum = body.withUnsafeBytes { Checksum.xxh64($0) }
        let digits = String(checksum, radix: 16)
        let tag = "\"" + String(repeating: "0", count: 16 - digits.count) + digits + "\""
        var response = json(body)
        if hasTag(tag, request) { response = Response(status: .notModified) }
        response.headers[.eTag] = tag
        response.headers[.cacheControl] = "private, no-cache"
        return response
    }

    private static func hasTag(_ tag: String, _ request: Request) -> Bool {
        request.headers[values: .ifNoneMatch].contains { field in
            field.split(separator: ",").contains { part in
                let part = String(part).trimmingSpaces()
                return part == "*" || part == tag || part == "W/" + tag
            }
        }
    }
}
