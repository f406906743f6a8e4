import Tidemark
import TidemarkJSON
import TidemarkModel

/// The `error` of a JSON-RPC answer.
///
/// - Source: JSON-RPC 2.0, section 5.1; Protocol/errors.md, errors of a session.
package struct MessageError: Error, Hashable, Sendable {
    /// The number of the error: one of JSON-RPC, or from 1,000 on.
    package var code: Int
    /// What is wrong, and what to do about it.
    package var message: String
    /// The `data.code`; nil for errors that JSON-RPC itself defines.
    package var name: String?
    /// The `data.reasons`; empty if there are none.
    package var reasons: [String: String] = [:]
    /// Further members of `data`.
    package var details: [CacheError.Detail] = []

    /// Creates an error.
    package init(
        code: Int, message: String, name: String? = nil, reasons: [String: String] = [:],
        details: [CacheError.Detail] = []
    ) {
        self.code = code
        self.message = message
        self.name = name
        self.reasons = reasons
        self.details = details
    }

    /// Returns the error of a message that is not JSON.
    package static func parse(_ message: String) -> MessageError { MessageError(code: -32_700, message: message) }

    /// Returns the error of JSON that is not a message.
    package static func invalidRequest(_ message: String) -> MessageError {
        MessageError(code: -32_600, message: message)
    }

    /// Returns the error of a request for an unknown method.
    ///
    /// - Parameter nearest: The method that was probably meant; nil if the name is like no other.
    package static func methodNotFound(_ method: ByteString, nearest: String?) -> MessageError {
        let name = String(method.description.prefix(100))
        let advice = nearest.map { "did you mean \($0)?" } ?? "the methods are listed in Protocol/sessions.md"
        return MessageError(code: -32_601, message: "there is no method \(name): \(advice)")
    }

    /// The error as a JSON object.
    package var json: [UInt8] {
        var line = JSONLine()
        line.object { line in
            line.member("code", code)
            line.member("message", ByteString(message))
            guard let name else { return }
            line.name("data")
            line.object { line in
                line.member("code", ByteString(name))
                for detail in details { line.member(detail.name, json: Optional(detail.json)) }
                if reasons.isEmpty { return }
                line.name("reasons")
                line.object { line in
                    for (side, reason) in reasons.sorted(by: { $0.key < $1.key }) {
                        line.member(ByteString(side), ByteString(reason))
                    }
                }
            }
        }
        return line.bytes
    }
}

extension MessageError {
    /// Converts an error of the cache, with its code for sessions.
    ///
    /// - Source: Protocol/errors.md, errors of a session.
    package init(_ error: CacheError) {
        self.init(
            code: MessageError.code(of: error.code), message: error.message, name: error.code.rawValue,
            reasons: error.reasons, details: error.details)
    }

    private static func code(of code: CacheError.Code) -> Int {
        switch code {
        case .unknownPending: 1_000
        case .duplicatePending: 1_001
        case .cacheMiss: 1_002
        case .upstreamFailed: 1_003
        case .invalidParams: 1_004
        case .limitExceeded: 1_005
        case .storageFailed: 1_006
        case .conflict: 1_007
        case .unknownSubscription: 1_008
        case .offline: 1_009
        case .timedOut: 1_010
        case .connectionLost: 1_011
        case .tlsFailed: 1_012
        case .truncated: 1_013
        case .redirectFailed: 1_014
        case .invalidDocument: 1_015
        case .notFound: 1_016
        }
    }
}
