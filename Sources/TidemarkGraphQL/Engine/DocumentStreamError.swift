import Tidemark
import TidemarkModel
import TidemarkJSON

/// Why a subscription ended or lost its connection, in the form that its observer gets.
///
/// - Source: Protocol/graphql.md, subscriptions.
struct DocumentStreamError: Hashable, Sendable {
    var message: String
    var code = CacheError.Code.upstreamFailed
    /// A more specific code: one of the endpoint, the host's own, `errors` or `invalid_answer`; nil if there is none.
    var reason: String?
    /// The status of the HTTP response; nil if there was none.
    var status: Int?
    /// The errors with which the server ended the subscription, as a JSON list; nil if there were none.
    var errors: [UInt8]?

    init(_ message: String, reason: String?) {
        self.message = message
        self.reason = reason
    }

    /// Creates the error for a failed upstream.
    init(_ error: UpstreamError) {
        self.init(error.message, reason: error.code)
        status = error.details.first { $0.name == "status" }.flatMap { Int(String(decoding: $0.json, as: UTF8.self)) }
    }

    /// Creates the error for a payload that could not be stored.
    init(storing error: CacheError) {
        self.init(error.message, reason: error.code == .invalidParams ? "invalid_answer" : nil)
        if error.code != .invalidParams { code = error.code }
    }

    /// Creates the error for a subscription that its server ended with errors.
    ///
    /// - Parameter errors: The member `errors` of the payload; not null.
    init(serverErrors errors: JSONValue) {
        let message = errors.elements?.first?["message"]?.string
        self.init(message ?? "the server ended the subscription with an error", reason: "errors")
        self.errors = errors.elements.map { _ in errors.bytes }
    }

    func append(to line: inout JSONLine) {
        line.object { line in
            line.member("code", Optional(ByteString(code.rawValue)))
            line.member("message", Optional(ByteString(message)))
            line.member("reason", reason.map { ByteString($0) })
            line.member("status", json: status.map { Array("\($0)".utf8) })
            line.member("errors", json: errors)
        }
    }
}
