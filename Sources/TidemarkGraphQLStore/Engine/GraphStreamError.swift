import Tidemark
import TidemarkModel
import TidemarkWire

/// The reason why a subscription ended, or lost its connection, as its observer is told it.
///
/// - Source: Protocol/graphql.md, subscriptions.
struct GraphStreamError: Hashable, Sendable {
    var message: String
    var code = CacheError.Code.upstreamFailed
    /// A finer code: one of the endpoint, the host's own, `errors` or `invalid_answer`; nil where nobody named one.
    var reason: String?
    /// The status of the HTTP answer; nil when there was none.
    var status: Int?
    /// The errors with which the server ended it: one JSON list; nil when it listed none.
    var errors: [UInt8]?

    init(_ message: String, reason: String?) {
        self.message = message
        self.reason = reason
    }

    /// Makes the error of an upstream that failed.
    init(_ error: UpstreamError) {
        self.init(error.message, reason: error.code)
        status = error.details.first { $0.name == "status" }.flatMap { Int(String(decoding: $0.json, as: UTF8.self)) }
    }

    /// Makes the error of a payload that could not be stored.
    init(storing error: CacheError) {
        self.init(error.message, reason: error.code == .invalidParams ? "invalid_answer" : nil)
        if error.code != .invalidParams { code = error.code }
    }

    /// Makes the error of a subscription that its server ended with errors.
    ///
    /// - Parameter errors: What the server gave as `errors`; not null.
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
