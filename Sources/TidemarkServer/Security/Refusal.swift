import HTTPTypes
import Hummingbird
import TidemarkModel
import TidemarkJSON

/// The response to a request that is refused before it is performed.
///
/// - Source: Protocol/serving.md, statuses.
struct Refusal: Error, Hashable, Sendable {
    /// The `data.code` of the response.
    enum Code: String, CaseIterable, Sendable {
        case badRequest = "bad_request"
        case unauthorized
        case readOnly = "read_only"
        case forbidden
        case notFound = "not_found"
        case methodNotAllowed = "method_not_allowed"
        case timedOut = "timed_out"
        case tooLarge = "too_large"
        case unsupportedType = "unsupported_type"
        case unsupportedCoding = "unsupported_coding"
        case unknownHost = "unknown_host"
        case tooManyStreams = "too_many_streams"
        case pendingIDReused = "pending_id_reused"
        case editUnavailable = "edit_unavailable"
        case headTooLarge = "head_too_large"
        case overloaded
        case shuttingDown = "shutting_down"
        case storageFailed = "storage_failed"
        case internalError = "internal"
    }

    var code: Code
    /// What is wrong, and what to do about it.
    var message: String
    /// The methods that the path supports; only for ``Code/methodNotAllowed``.
    var allow: String?

    init(_ code: Code, _ message: String, allow: String? = nil) {
        self.code = code
        self.message = message
        self.allow = allow
    }

    var status: HTTPResponse.Status {
        switch code {
        case .badRequest: .badRequest
        case .unauthorized: .unauthorized
        case .readOnly, .forbidden: .forbidden
        case .notFound: .notFound
        case .methodNotAllowed: .methodNotAllowed
        case .timedOut: .requestTimeout
        case .tooLarge: .contentTooLarge
        case .unsupportedType, .unsupportedCoding: .unsupportedMediaType
        case .unknownHost: .misdirectedRequest
        case .tooManyStreams: .tooManyRequests
        case .headTooLarge: .requestHeaderFieldsTooLarge
        case .pendingIDReused: .conflict
        case .overloaded, .shuttingDown, .storageFailed, .editUnavailable: .serviceUnavailable
        case .internalError: .internalServerError
        }
    }

    /// The response body: a JSON-RPC message with a null id.
    var body: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("jsonrpc", "2.0" as ByteString?)
            line.member("id", nil as ByteString?)
            line.member("error", json: Optional(error))
        }
        return line.bytes + [0x0A]
    }

    /// The JSON-RPC error; its `code` is the HTTP status.
    var error: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("code", status.code)
            line.member("message", ByteString(message))
            line.name("data")
            line.object { $0.member("code", ByteString(code.rawValue)) }
        }
        return line.bytes
    }

    /// Header fields in addition to the common ones.
    var fields: HTTPFields {
        var fields = HTTPFields()
        fields[.contentType] = "application/json"
        if code == .unauthorized { fields[.wwwAuthenticate] = "Bearer" }
        if let allow { fields[.allow] = allow }
        if [.tooManyStreams, .overloaded, .editUnavailable].contains(code) { fields[.retryAfter] = "1" }
        return fields
    }

    var response: Response {
        Response(status: status, headers: fields, body: ResponseBody(byteBuffer: ByteBuffer(bytes: body)))
    }
}
